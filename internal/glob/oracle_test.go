package glob_test

import (
	"math/rand/v2"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/sayso-dev/sayso/internal/glob"
)

// The pieces that random patterns are made of, and every clean path up to a
// length over the same few letters: small enough to try all.
var (
	pieces      = []string{"a", "b", "a", "b", "/", "/", "*", "**", "/**/", "**/", "/**", "?", "[ab]", "[!a]", "[b-c]", "{a,b}", "{,/**}", "{a*b,a/b}", `\*`}
	shellPieces = []string{"a", "b", "a", "/", "/", "*", "*", "?", "[ab]", "[bc]", "[a-b]", `\*`, "**"}
	paths       = allPaths("ab*/", 6)
)

func allPaths(letters string, length int) []string {
	var out []string
	level := []string{""}
	for range length {
		var next []string
		for _, s := range level {
			for _, l := range letters {
				next = append(next, s+string(l))
			}
		}
		for _, s := range next {
			if path.Clean(s) == s {
				out = append(out, s)
			}
		}
		level = next
	}
	return out
}

func random(r *rand.Rand, from []string) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

// toRegexp is a second implementation of both dialects.
func toRegexp(pattern string, loose bool) *regexp.Regexp {
	var alts []string
	for _, p := range writeOut(pattern) {
		alts = append(alts, sequence(p, loose))
	}
	return regexp.MustCompile(`(?s)\A(?:` + strings.Join(alts, "|") + `)\z`)
}

var innermost = regexp.MustCompile(`\{([^{}]*)\}`)

func writeOut(p string) []string {
	m := innermost.FindStringSubmatchIndex(p)
	if m == nil {
		return []string{p}
	}
	var out []string
	for part := range strings.SplitSeq(p[m[2]:m[3]], ",") {
		out = append(out, writeOut(p[:m[0]]+part+p[m[1]:])...)
	}
	return out
}

func sequence(p string, loose bool) string {
	p = strings.ReplaceAll(p, `\*`, "\x01") // the only escape that the pieces have
	p = regexp.MustCompile(`\*\*+`).ReplaceAllString(p, "**")
	star, char, tail := "[^/]*", "[^/]", ""
	if loose {
		star, char = ".*", "."
	}
	for strings.HasSuffix(p, "/**") {
		p, tail = strings.TrimSuffix(p, "/**"), "(?:/.*)?"
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		start := i == 0 || p[i-1] == '/'
		switch rest := p[i:]; {
		case start && strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case p[i] == '*':
			b.WriteString(star)
		case p[i] == '?':
			b.WriteString(char)
		case strings.HasPrefix(rest, "[!"):
			end := strings.IndexByte(rest, ']')
			if loose {
				b.WriteString("[^" + rest[2:end] + "]")
			} else {
				b.WriteString("[^/" + rest[2:end] + "]")
			}
			i += end
		case p[i] == '[':
			end := strings.IndexByte(rest, ']')
			b.WriteString(rest[:end+1])
			i += end
		case p[i] == '\x01':
			b.WriteString(`\*`)
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
	}
	return b.String() + tail
}

// TestAgainstRegexp compares every small path with the second implementation.
func TestAgainstRegexp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range rounds(3000) {
		p := random(r, pieces)
		for _, loose := range []bool{false, true} {
			compile := glob.Compile
			if loose {
				compile = glob.CompileLoose
			}
			g, err := compile(p)
			if err != nil {
				continue
			}
			tried++
			re := toRegexp(p, loose)
			for range 100 {
				s := paths[r.IntN(len(paths))]
				if got, want := g.Match(s), re.MatchString(s); got != want {
					t.Fatalf("%q (loose %v): Match(%q) = %v, want %v by %s", p, loose, s, got, want, re)
				}
			}
		}
	}
	if tried < rounds(3000)/4 {
		t.Errorf("only %d patterns were valid", tried)
	}
}

// TestAgainstDoublestar: on what doublestar is right about, the whole pattern
// given to it has the same answer.
func TestAgainstDoublestar(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range rounds(3000) {
		p := random(r, pieces[:9])
		g, err := glob.Compile(p)
		if err != nil || strings.Contains(p, "***") || strings.Contains(p, "**/**") || strings.Contains(p, "*/**") {
			continue
		}
		if regexp.MustCompile(`[^/]\*\*|\*\*[^/]`).MatchString(p) {
			continue
		}
		for range 100 {
			s := paths[r.IntN(len(paths))]
			if got, want := g.Match(s), doublestar.MatchUnvalidated(p, s); got != want {
				t.Fatalf("%q: Match(%q) = %v, doublestar says %v", p, s, got, want)
			}
		}
	}
}

// TestSampled compares Overlaps and Covers with what every small path says.
// They may err, but only to the careful side, and seldom.
func TestSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var pairs, overlapping, covering, sawOverlap, sawCover int
	for range rounds(3000) {
		p, shell := random(r, pieces), random(r, shellPieces)
		globs := compiled(p)
		var in []string
		for _, s := range paths {
			if matchShell(shell, s) {
				in = append(in, s)
			}
		}
		if len(in) == 0 {
			continue
		}
		for _, g := range globs {
			both := 0
			for _, s := range in {
				if g.Match(s) {
					both++
				}
			}
			overlaps, covers := g.Overlaps(shell), g.Covers(shell)
			if both > 0 && !overlaps {
				t.Errorf("%q (%d) does not overlap %q", p, len(globs), shell)
			}
			if both < len(in) && covers {
				t.Errorf("%q (%d) covers %q", p, len(globs), shell)
			}
			pairs++
			sawOverlap += one(both > 0)
			overlapping += one(overlaps)
			sawCover += one(both == len(in))
			covering += one(covers)
		}
	}
	t.Logf("%d pairs: %d overlap, %d said to; %d are covered, %d said to be", pairs, sawOverlap, overlapping, sawCover, covering)
	if overlapping-sawOverlap > pairs/10 || sawCover-covering > pairs/5 {
		t.Error("the careful answers are too many to be of use")
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rounds is fewer in a short run.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

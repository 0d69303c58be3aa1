package shell_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sayso-dev/sayso/shell"
)

// The commands that agents send all day. Each is measured twice: parsed only,
// and analysed. The analysis should stay within three times the bare parse;
// scripts/bench prints the ratio.
var benchCommands = []struct{ name, text string }{
	{"status", "git status"},
	{"pipe", "cat package.json | grep version | head -1"},
	{"compound", `cd web && npm ci --no-audit && npm run lint -- --max-warnings=0 && git add -A && git commit -m "$(cat <<'EOF'
Keep the order of the menu entries when the language changes

The entries were sorted by their translated title, so that a switch of the
language moved them around and people lost their place. Sort by the key
instead, which does not change, and keep the translated title for display
only. The test covers both languages, the fall-back, and a missing title.

Closes the report about the jumping menu on the settings page.
EOF
)" && git push origin HEAD && for f in dist/*.js; do wc -c "$f"; done`},
}

func BenchmarkParse(b *testing.B) {
	for _, c := range benchCommands {
		b.Run(c.name, func(b *testing.B) {
			p := syntax.NewParser(syntax.Variant(syntax.LangBash))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Parse(strings.NewReader(c.text), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAnalyze(b *testing.B) {
	for _, c := range benchCommands {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a, err := shell.Analyze(c.text, corpusPlace)
				if err != nil || len(a.Commands) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExplain adds the sentence of the whole line.
func BenchmarkExplain(b *testing.B) {
	for _, c := range benchCommands {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a, err := shell.Analyze(c.text, corpusPlace)
				if err != nil || a.Explain() == "" {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRatio measures both in turns, so that a busy machine slows both
// down, and reports how many times the bare parse the analysis takes: the
// median of all turns.
func BenchmarkRatio(b *testing.B) {
	const turn = 16
	for _, c := range benchCommands {
		b.Run(c.name, func(b *testing.B) {
			p := syntax.NewParser(syntax.Variant(syntax.LangBash))
			var ratios, parses, analyses []float64
			for b.Loop() {
				start := time.Now()
				for range turn {
					if _, err := p.Parse(strings.NewReader(c.text), ""); err != nil {
						b.Fatal(err)
					}
				}
				parsed := time.Now()
				for range turn {
					if _, err := shell.Analyze(c.text, corpusPlace); err != nil {
						b.Fatal(err)
					}
				}
				parse, analysis := parsed.Sub(start), time.Since(parsed)
				parses = append(parses, float64(parse)/turn)
				analyses = append(analyses, float64(analysis)/turn)
				ratios = append(ratios, float64(analysis)/float64(parse))
			}
			b.ReportMetric(median(parses), "parse-ns")
			b.ReportMetric(median(analyses), "analyse-ns")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// hostile holds texts that were made to keep an analysis busy, each as long as
// is read at all.
func hostile() map[string]string {
	fill := func(n int, s string) string { return strings.Repeat(s, max(1, (n-2000)/len(s))) }
	var names strings.Builder
	for i := range 256 {
		names.WriteString("v" + strconv.Itoa(i) + "=x; f" + strconv.Itoa(i) + "() { :; }; ")
	}
	const most = shell.MaxLength
	return map[string]string{
		"suffix":    "x=" + strings.Repeat("a", 60000) + "; echo ${x%%*" + strings.Repeat("a", 60000) + "b}",
		"suffixes":  "x=" + strings.Repeat("a", 1000) + "; echo " + fill(most-2000, "${x%a*b*c} "),
		"comments":  "(\n" + fill(most, "a'a'# b\n") + ")",
		"joins":     names.String() + fill(most-names.Len(), "a&&b||c&&d||e;"),
		"getline":   "awk '" + fill(most, "getline ") + "'",
		"documents": fill(most, "cat <<E\n${x-\nE\n"),
		"aliases":   "alias a='b a'\n" + fill(most, "a\n"),
		"loops":     fill(most, "for i in 1 2 3 4 5 6 7 8; do cd x; a=$i; done; "),
		"cases":     "case x in " + fill(most, "a) b=1;; ") + "esac",
	}
}

// BenchmarkHostile shows how long the worst texts take.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := shell.Analyze(text, corpusPlace); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

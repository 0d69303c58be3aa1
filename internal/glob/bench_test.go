package glob_test

import (
	"testing"

	"github.com/sayso-dev/sayso/internal/glob"
)

const benchPath = "/home/user/project/internal/server/handler_test.go"

var benchPatterns = []struct{ name, pattern string }{
	{"literal", "/home/user/project/internal/server/handler_test.go"},
	{"below", "/home/user/project/**"},
	{"named", "**/handler_test.go"},
	{"suffix", "**/*_test.go"},
	{"miss", "/home/user/other/**/*.go"},
	{"braces", "/home/user/project/**/*.{md,txt,go}"},
}

func BenchmarkMatch(b *testing.B) {
	for _, p := range benchPatterns {
		g := must(b, p.pattern)
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Match(benchPath)
			}
		})
	}
	loose := mustLoose(b, "*/internal/*_test.go")
	b.Run("loose", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			loose.Match(benchPath)
		}
	})
	fold := must(b, "/home/User/**/*_test.go", glob.Fold)
	b.Run("fold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fold.Match(benchPath)
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	for _, p := range benchPatterns {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := glob.Compile(p.pattern); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkShell(b *testing.B) {
	for _, p := range []struct{ name, pattern, shell string }{
		{"quick", "/home/user/project/**", "/home/user/project/src/*.go"},
		{"apart", "/home/user/other/*.go", "/home/user/project/src/*.go"},
		{"near", "/home/user/project/**/*.go", "/home/user/project/src/*.go"},
	} {
		g := must(b, p.pattern)
		b.Run("overlaps/"+p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Overlaps(p.shell)
			}
		})
		b.Run("covers/"+p.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Covers(p.shell)
			}
		})
	}
}

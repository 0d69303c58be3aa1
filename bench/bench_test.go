package bench

import (
	"fmt"
	"testing"
)

// BenchmarkDecide measures each engine by itself, for profiles and benchstat;
// the program in compare measures them in turns. The answers are checked before
// anything is measured.
func BenchmarkDecide(b *testing.B) {
	for _, k := range Kinds {
		for _, e := range Engines() {
			b.Run(fmt.Sprintf("%s/%s", k, e.Name), func(b *testing.B) {
				for _, n := range Sizes {
					b.Run(fmt.Sprint(n), func(b *testing.B) { decideBoth(b, e, k, n) })
				}
			})
		}
	}
}

func decideBoth(b *testing.B, e Engine, k Kind, n int) {
	policy, err := e.Build(k, n)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range Cases {
		decide, err := c.Decide(policy, k, n)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decide(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

//go:build sandbox

package sandbox

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkProgram is a small test in a warm worker, BenchmarkFreshPython the same in a new interpreter without any isolation.
func BenchmarkProgram(b *testing.B) {
	p := open(b, Options{Workers: 1})
	median(b, func() {
		if r, err := p.Run(b.Context(), Program{Source: small}); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	})
}

func BenchmarkFreshPython(b *testing.B) {
	p := open(b, Options{Workers: 1})
	median(b, func() {
		if err := exec.Command(p.Backend.(*bubblewrap).python.Executable, "-s", "-c", small).Run(); err != nil {
			b.Fatal(err)
		}
	})
}

// median reports the median time of f, which other programs on the machine disturb less than the mean.
func median(b *testing.B, f func()) {
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2].Seconds()*1e3, "median-ms")
}

const small = "def add(a, b):\n    return a + b\nassert add(1, 2) == 3\n"

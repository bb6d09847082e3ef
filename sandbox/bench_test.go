//go:build sandbox

package sandbox

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkProgram takes turns between a small test in a new interpreter without any isolation and two in a sandbox: one for which its
// worker has had the time to prepare, and one at once behind it. Whatever else the machine does disturbs all three alike.
func BenchmarkProgram(b *testing.B) {
	for name, o := range map[string]Options{"namespaces": {Workers: 1}, "workers": {Workers: 1, shared: true}} {
		b.Run(name, func(b *testing.B) {
			p := open(b, o)
			python := p.Backend.(*bubblewrap).python.Executable
			var times [3][]time.Duration
			for b.Loop() {
				for i := range times {
					start := time.Now()
					if i > 0 {
						small := Program{Source: small}
						if r, err := p.Run(b.Context(), small); err != nil || !r.OK() {
							b.Fatal(r, err)
						}
					} else if err := exec.Command(python, "-s", "-c", small).Run(); err != nil {
						b.Fatal(err)
					}
					times[i] = append(times[i], time.Since(start))
				}
			}
			for i, name := range []string{"python", "ready", "behind"} {
				b.ReportMetric(median(times[i]).Seconds()*1e3, name+"-ms")
			}
		})
	}
}

// median is what other programs on the machine disturb less than the mean.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

const small = "def add(a, b):\n    return a + b\nassert add(1, 2) == 3\n"

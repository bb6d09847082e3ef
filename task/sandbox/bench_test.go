//go:build sandbox

package sandbox

import (
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkProgram takes turns between a small test in a new interpreter without any isolation and the same in a sandbox: one for which
// its worker has had the time to prepare, one at once behind it, and ten in a row, of which every one counts a tenth. Whatever else the
// machine does disturbs all alike.
func BenchmarkProgram(b *testing.B) {
	for name, o := range map[string]Options{"namespaces": {Workers: 1}, "workers": {Workers: 1, shared: true}} {
		b.Run(name, func(b *testing.B) {
			p := open(b, o)
			inside := func() {
				if r, err := p.Run(b.Context(), Program{Source: small}); err != nil || !r.OK() {
					b.Fatal(r, err)
				}
			}
			python := func() {
				if err := exec.Command(p.Backend.(*bubblewrap).python.Executable, "-s", "-c", small).Run(); err != nil {
					b.Fatal(err)
				}
			}
			var times [4][]time.Duration
			for b.Loop() {
				prepared(p)
				for i, f := range []func(){python, inside, inside} {
					times[i] = append(times[i], timed(f))
				}
				const row = 10
				times[3] = append(times[3], timed(func() {
					for range row {
						inside()
					}
				})/row)
			}
			for i, name := range []string{"python", "ready", "behind", "row"} {
				b.ReportMetric(median(times[i]).Seconds()*1e3, name+"-ms")
			}
		})
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// median is what other programs on the machine disturb less than the mean.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

const small = "def add(a, b):\n    return a + b\nassert add(1, 2) == 3\n"

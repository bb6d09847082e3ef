package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// adam64 is one parameter's AdamW in float64, as the algorithm is printed.
type adam64 struct{ p, m, v float64 }

func (a *adam64) step(g, lr, decay float64, t int) {
	const beta1, beta2, eps = 0.9, 0.999, 1e-8
	a.p -= lr * decay * a.p
	a.m = beta1*a.m + (1-beta1)*g
	a.v = beta2*a.v + (1-beta2)*g*g
	m := a.m / (1 - math.Pow(beta1, float64(t)))
	v := a.v / (1 - math.Pow(beta2, float64(t)))
	a.p -= lr * m / (math.Sqrt(v) + eps)
}

func TestAdamW(t *testing.T) {
	eachLength(t, func(t *testing.T, k *Kernels, rng *rand.Rand, n int) {
		const lr, decay, clip, steps = 0.01, 0.1, 0.5, 5
		p, check := fenced(t, normal(rng, n))
		m, v := make([]float32, n), make([]float32, n)
		want := make([]adam64, n)
		for i := range want {
			want[i].p = float64(p[i])
		}
		for step := 1; step <= steps; step++ {
			g := normal(rng, n)
			k.AdamW(p, m, v, g, AdamStep{
				LR: lr, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: decay, GradScale: clip,
				Correction1: float32(1 - math.Pow(0.9, float64(step))), Correction2: float32(1 - math.Pow(0.999, float64(step))),
			})
			for i := range want {
				want[i].step(clip*float64(g[i]), lr, decay, step)
			}
		}
		check()
		for i := range want {
			near(t, "parameter", n, i, p[i], want[i].p, 1e-6, 1)
			near(t, "first moment", n, i, m[i], want[i].m, 1e-6, 1)
			near(t, "second moment", n, i, v[i], want[i].v, 3e-5, 1e-3)
		}
	})
}

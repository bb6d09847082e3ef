package kernel

import "math"

// An AdamStep holds the numbers of one AdamW step (Loshchilov and Hutter 2019, algorithm 2), t = 1, 2, ... being the count of
// steps.
type AdamStep struct {
	LR          float32
	Beta1       float32
	Beta2       float32
	Eps         float32
	WeightDecay float32
	Correction1 float32 // 1 - Beta1^t
	Correction2 float32 // 1 - Beta2^t
	GradScale   float32 // gradients are multiplied by this first; 1: as they are
}

// adamStep is an AdamStep made ready for the inner loop, in the order in which the assembly reads it.
type adamStep struct {
	gradScale    float32
	beta1, rest1 float32 // rest is 1 - beta
	beta2, rest2 float32
	decay        float32 // 1 - LR·WeightDecay
	step         float32 // LR/Correction1
	root         float32 // 1/sqrt(Correction2)
	eps          float32
}

// AdamW updates parameters p and their moments m and v with gradient g, in place:
//
//	g' = GradScale·g;  m = Beta1·m + (1-Beta1)·g';  v = Beta2·v + (1-Beta2)·g'²
//	p = p·(1 - LR·WeightDecay) - LR·(m/Correction1) / (sqrt(v/Correction2) + Eps)
//
// g is not changed.
func (k *Kernels) AdamW(p, m, v, g []float32, s AdamStep) {
	ready := adamStep{
		gradScale: s.GradScale,
		beta1:     s.Beta1, rest1: 1 - s.Beta1,
		beta2: s.Beta2, rest2: 1 - s.Beta2,
		decay: float32(1 - float64(s.LR)*float64(s.WeightDecay)),
		step:  s.LR / s.Correction1,
		root:  float32(1 / math.Sqrt(float64(s.Correction2))),
		eps:   s.Eps,
	}
	inPieces(len(p), func(lo, hi int) { k.set.adamw(p[lo:hi], m[lo:hi], v[lo:hi], g[lo:hi], ready) })
}

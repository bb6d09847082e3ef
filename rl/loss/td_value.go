package loss

// SquaredValueLoss returns the loss (V − T)² of a separate critic and its derivative with respect to the value.
func SquaredValueLoss(value, target float64) (loss, grad float64) {
	d := value - target
	return d * d, 2 * d
}

// SharedValueLoss returns the loss of a value head that shares its trunk with the policy (IAC, MAGRPO §5),
// max((V − T)², (clip(V, V_old ± clip) − T)²), and its derivative with respect to the value: zero where the clipped term is
// the larger one and the value lies outside the clip range.
func SharedValueLoss(value, old, target, clip float64) (loss, grad float64) {
	loss, grad = SquaredValueLoss(value, target)
	held := min(max(value, old-clip), old+clip)
	clipped, clippedGrad := SquaredValueLoss(held, target)
	if clipped <= loss {
		return loss, grad
	}
	if held != value {
		clippedGrad = 0
	}
	return clipped, clippedGrad
}

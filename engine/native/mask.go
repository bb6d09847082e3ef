package native

import "parley/engine"

// A mask is what one token is not drawn from: an [engine.Mask] at its place.
type mask struct {
	ranges [][2]int
	ids    []int
	form   *formPlace // nil: none
}

// maskAt is the mask of the n-th new token, from 0.
func maskAt(m engine.Mask, n int) mask {
	if n < m.Least {
		return mask{ranges: m.Never, ids: m.Early}
	}
	return mask{ranges: m.Never}
}

func (m mask) empty() bool { return len(m.ranges) == 0 && len(m.ids) == 0 && m.form == nil }

// apply takes the masked tokens out of the logits z of tokens first, first+1, ...: they become -Inf. The token keep stays in; -1: none.
func (m mask) apply(z []float32, first, keep int) {
	if m.form != nil {
		m.form.apply(z, first, keep)
	}
	for _, r := range m.ranges {
		for t := max(r[0], first); t < min(r[1], first+len(z)); t++ {
			if t != keep {
				z[t-first] = negativeInfinity
			}
		}
	}
	for _, t := range m.ids {
		if t >= first && t < first+len(z) && t != keep {
			z[t-first] = negativeInfinity
		}
	}
}

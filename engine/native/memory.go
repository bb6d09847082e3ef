package native

import (
	"parley/engine"
	"parley/engine/native/kernel"
)

const (
	floatBytes = 4
	// restBytes is about what the program takes beside the engine: code, tokenizer, the collector's slack.
	restBytes = 48 << 20
)

// largestPass is how many tokens the largest pass of a load has, of those that a pass may have.
func largestPass(l *engine.Load, most int) int {
	if l.Tokens > 0 {
		most = min(most, l.Tokens)
	}
	return max(l.Length, most)
}

// Footprint implements [engine.Estimator].
func (p *Plan) Footprint(l engine.Load, specs []engine.PolicySpec) engine.Footprint {
	c, o := &p.shape, &p.options
	rows, s := largestPass(&l, o.batchTokens(c)), c.sizing(c.ranksOf(specs))
	f := engine.Footprint{
		Base:        c.baseBytes(o.Format),
		Activations: floatBytes * s.passFloats(rows),
		Cache:       keyBytes(o.Format) * min(float64(c.pageFloats(l.Samples*(l.Length+pageTokens)+l.CachedTokens)), cacheFloats),
		Rest:        restBytes,
	}
	if l.Frozen {
		f.Activations = floatBytes * s.frozenFloats(rows)
	} else if budget := o.passMemory(); f.Activations > budget {
		f.Activations = max(budget, floatBytes*s.minFloats(rows))
	}
	if kept, logits := p.Keeps(l, specs); kept {
		a, z := s.cachedBytes(l.ReusedTokens)
		if f.Reused = a; logits {
			f.Reused += z
		}
		if l.OnPolicy {
			f.Activations = min(f.Activations, floatBytes*(s.passFloats(rows)-float64(rows*(c.Layers-1)*s.layerFloats())))
		}
	}
	full := false
	for _, spec := range specs {
		if spec.Full {
			full = true
			f.Policies += 5 * floatBytes * float64(c.Parameters())
			continue
		}
		f.Policies += c.adapterBytes(spec) + 3*floatBytes*float64(c.adapterParameters(spec))
	}
	if full || l.Cut && !l.Frozen {
		f.Activations += floatBytes * c.savedLogits(rows)
	}
	return f
}

// keyBytes is what a value of the keys and values takes over a base of a format.
func keyBytes(f engine.Format) float64 {
	if f == engine.F32 {
		return floatBytes
	}
	return floatBytes / 2
}

// baseBytes is what a frozen net takes.
func (c *shape) baseBytes(f engine.Format) float64 {
	n := newNet(c)
	total := 0
	for _, p := range n.params {
		switch {
		case len(p.shape) == 1:
			total += floatBytes * p.size()
		case p == n.embed || p == n.head.weight:
			total += kernel.MatrixBytes(tableFormat(f), p.shape[0], p.shape[1])
		default:
			total += kernel.MatrixBytes(f, p.shape[0], p.shape[1])
		}
	}
	return float64(total)
}

// adapterBytes is what the values of an adapter take, in the matrices that they are packed in.
func (c *shape) adapterBytes(s engine.PolicySpec) float64 {
	n := 0
	for at := range projectionGroups {
		rank, in := 0, 0
		for _, p := range projectionsOf(c.Family(), at) {
			if !adapted(&s, p) {
				continue
			}
			var out int
			out, in = c.Widths(p)
			rank += s.Rank
			n += kernel.MatrixBytes(engine.F32, out, s.Rank)
		}
		n += kernel.MatrixBytes(engine.F32, rank, in)
	}
	head := s
	head.Rank = 0
	return float64(c.Layers*n + floatBytes*c.adapterParameters(head))
}

// adapterParameters counts those of an adapter, its value head included.
func (c *shape) adapterParameters(s engine.PolicySpec) int {
	n := c.AdapterParameters(s.Rank, s.Targets)
	if s.ValueHead {
		read := c.Hidden
		if s.ValueHidden > 0 {
			read = s.ValueHidden
			n += read * (c.Hidden + 1)
		}
		n += read + 1
	}
	return n
}

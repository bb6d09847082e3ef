package native

import (
	"parley/engine"
	"parley/engine/native/kernel"
)

// A Footprint estimates the memory of an engine in bytes, part by part.
type Footprint struct {
	Base     float64 // the frozen base in its format
	Policies float64 // parameters, gradients and AdamW's moments of all policies; those of a full copy have panels beside them
	Pass     float64 // activations of the largest pass
	Kept     float64 // activations that sampling keeps for training
	Cache    float64 // keys and values of text: of samples in flight, and remembered
	Rest     float64 // the program itself
}

// Total adds up the parts.
func (f Footprint) Total() float64 { return f.Base + f.Policies + f.Pass + f.Kept + f.Cache + f.Rest }

// Add adds the parts of another engine in the same program.
func (f *Footprint) Add(g Footprint) {
	f.Base, f.Policies, f.Pass, f.Kept, f.Cache = f.Base+g.Base, f.Policies+g.Policies, f.Pass+g.Pass, f.Kept+g.Kept, f.Cache+g.Cache
	f.Rest = max(f.Rest, g.Rest)
}

const (
	floatBytes = 4
	// restBytes is about what the program takes beside the engine: code, tokenizer, the collector's slack.
	restBytes = 48 << 20
)

// A Load is what of a run decides how much memory it takes, beside the model and its policies.
type Load struct {
	Samples int // in flight when it samples, each with a text of its own
	Length  int // tokens of the longest sequence
	Text    int // tokens in memory beside those, remembered or of samples that share what they begin with
	Tokens  int // of the largest call that trains or goes through prompts, all sequences together; 0: as many as a pass can have
	Kept    int // of those that are sampled between two steps with training to follow, all together
	// OnPolicy: each policy takes one step on what was sampled, so that all passes of training have what was kept.
	OnPolicy bool
	Cut      bool // tokens to train on are drawn from cut distributions, which take logits of their own
	Frozen   bool // nothing is trained: no pass keeps what a way back needs
}

// rows is how many tokens the largest pass has.
func (l *Load) rows(most int) int {
	if l.Tokens > 0 {
		most = min(most, l.Tokens)
	}
	return max(l.Length, most)
}

// Memory estimates what an engine over a model of shape c needs with some policies under a load.
func (c *Config) Memory(o Options, specs []engine.PolicySpec, l Load) Footprint {
	rows, s := l.rows(o.batchTokens(c)), c.sizing(c.ranksOf(specs))
	f := Footprint{
		Base:  c.baseBytes(o.Format),
		Pass:  floatBytes * s.passFloats(rows),
		Cache: keyBytes(o.Format) * min(float64(c.pageFloats(l.Samples*(l.Length+pageTokens)+l.Text)), cacheFloats),
		Rest:  restBytes,
	}
	if l.Frozen {
		f.Pass = floatBytes * s.frozenFloats(rows)
	} else if budget := o.passMemory(); f.Pass > budget {
		f.Pass = max(budget, floatBytes*s.leastFloats(rows))
	}
	if kept, logits := c.Keeps(o, specs, l); kept {
		a, z := s.keptBytes(l.Kept)
		if f.Kept = a; logits {
			f.Kept += z
		}
		if l.OnPolicy {
			f.Pass = min(f.Pass, floatBytes*(s.passFloats(rows)-float64(rows*(c.Layers-1)*s.layerFloats())))
		}
	}
	full := false
	for _, p := range specs {
		if p.Full {
			full = true
			f.Policies += 5 * floatBytes * float64(c.Parameters())
			continue
		}
		f.Policies += c.adapterBytes(p) + 3*floatBytes*float64(c.AdapterParameters(p))
	}
	if full || l.Cut && !l.Frozen {
		f.Pass += floatBytes * c.keptLogits(rows)
	}
	return f
}

// keyBytes is what a value of the keys and values of text takes over a base of a format.
func keyBytes(f kernel.Format) float64 {
	if f == kernel.F32 {
		return floatBytes
	}
	return floatBytes / 2
}

// baseBytes is what a frozen net takes.
func (c *Config) baseBytes(f kernel.Format) float64 {
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

// Parameters counts those of the base.
func (c *Config) Parameters() int {
	n := c.Vocab*c.Hidden + c.Hidden
	if !c.Tied {
		n += c.Vocab * c.Hidden
	}
	layer := 2 * c.Hidden
	for _, p := range c.arch().projections() {
		out, in := c.widths(p)
		layer += out * in
	}
	return n + c.Layers*layer
}

// adapterBytes is what the values of an adapter take, in the matrices that they are packed in.
func (c *Config) adapterBytes(s engine.PolicySpec) float64 {
	n := 0
	for at := range sites {
		rank, in := 0, 0
		for _, p := range c.arch().at(at) {
			if !adapted(&s, p) {
				continue
			}
			var out int
			out, in = c.widths(p)
			rank += s.Rank
			n += kernel.MatrixBytes(kernel.F32, out, s.Rank)
		}
		n += kernel.MatrixBytes(kernel.F32, rank, in)
	}
	head := s
	head.Rank = 0
	return float64(c.Layers*n + floatBytes*c.AdapterParameters(head))
}

// AdapterParameters counts those of a low-rank adapter.
func (c *Config) AdapterParameters(s engine.PolicySpec) int {
	n := 0
	for _, p := range c.arch().projections() {
		if !adapted(&s, p) {
			continue
		}
		out, in := c.widths(p)
		n += s.Rank * (out + in)
	}
	n *= c.Layers
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

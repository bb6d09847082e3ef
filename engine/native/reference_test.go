package native

import (
	"math"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/config"
	"parley/model/modeltest"
)

// reference is the forward pass of all families once more, in float64, one token at a time, written after the papers and
// model cards and not after the engine: for shapes and lengths that no golden has.
type reference struct {
	c *config.Config
	w map[string][]float32
}

func (r *reference) layer(i int, name string) []float32 {
	return r.w[tensorName(i, name)]
}

func tensorName(i int, name string) string {
	return "model.layers." + string(rune('0'+i)) + "." + name + ".weight"
}

// product is W·x for the rows from, ..., from+n-1 of W.
func product(w []float32, from, n int, x []float64) []float64 {
	y := make([]float64, n)
	for o := range y {
		for j, v := range x {
			y[o] += float64(w[(from+o)*len(x)+j]) * v
		}
	}
	return y
}

func (r *reference) norm(w []float32, x []float64) []float64 {
	sum, one := 0.0, 0.0
	for _, v := range x {
		sum += v * v
	}
	if r.gemma() {
		one = 1
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / math.Sqrt(sum/float64(len(x))+r.c.NormEps) * (one + float64(w[i]))
	}
	return y
}

func (r *reference) gemma() bool { return strings.HasPrefix(r.c.ModelType, "gemma") }

// capped is cap·tanh(x/cap); x where there is no cap.
func capped(x, cap float64) float64 {
	if cap == 0 {
		return x
	}
	return cap * math.Tanh(x/cap)
}

// over divides by d, if that is not 0.
func over(x, d float64) float64 {
	if d == 0 {
		return x
	}
	return x / d
}

func plus(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

// turn rotates a head at position p of a sequence of n tokens.
func (r *reference) turn(layer int, x []float64, p, n int) {
	rope := r.c.Rope
	if r.c.Local != nil && r.c.Window[layer] > 0 {
		rope = *r.c.Local
	}
	d := len(x)
	if rope.Partial != 0 {
		d = int(rope.Partial * float64(d))
	}
	theta, gain := rope.Theta, 1.0
	if rope.Type == "dynamic" && n > rope.Original {
		stretch := rope.Factor*float64(n)/float64(rope.Original) - rope.Factor + 1
		theta *= math.Pow(stretch, float64(d)/float64(d-2))
	}
	for i := range d / 2 {
		angle := float64(p) * math.Exp(-2*float64(i)/float64(d)*math.Log(theta))
		switch {
		case rope.Type == "linear":
			angle /= rope.Factor
		case rope.Type == "longrope" && n > rope.Original:
			angle, gain = angle/rope.Long[i], rope.AttentionFactor
		case rope.Type == "longrope":
			angle, gain = angle/rope.Short[i], rope.AttentionFactor
		case rope.Type == "yarn":
			// Pairs that turn more than BetaFast times over the original length keep their frequency.
			at := func(turns float64) float64 {
				return float64(d) / 2 * math.Log(float64(rope.Original)/turns/2/math.Pi) / math.Log(theta)
			}
			lo, hi := max(0, at(rope.BetaFast)), min(float64(d-1), at(rope.BetaSlow))
			keep := 1 - min(1, max(0, (float64(i)-lo)/(hi-lo)))
			angle, gain = keep*angle+(1-keep)*angle/rope.Factor, rope.AttentionFactor
		}
		a, b := x[i], x[i+d/2]
		x[i] = gain * (a*math.Cos(angle) - b*math.Sin(angle))
		x[i+d/2] = gain * (b*math.Cos(angle) + a*math.Sin(angle))
	}
}

// heads computes one of q, k and v for one token, its heads one after another.
func (r *reference) heads(layer int, name string, x []float64) []float64 {
	q, k := r.c.Heads*r.c.HeadDim, r.c.KVHeads*r.c.HeadDim
	from, n := map[string]int{"q": 0, "k": q, "v": q + k}[name], k
	if name == "q" {
		n = q
	}
	if w := r.layer(layer, "self_attn.qkv_proj"); w != nil {
		return product(w, from, n, x)
	}
	y := product(r.layer(layer, "self_attn."+name+"_proj"), 0, n, x)
	w := r.layer(layer, "self_attn."+name+"_norm")
	if len(w) == n {
		return r.norm(w, y)
	}
	for h := 0; w != nil && h < n; h += r.c.HeadDim {
		copy(y[h:], r.norm(w, y[h:h+r.c.HeadDim]))
	}
	return y
}

// attention returns what the attention block of a layer makes of all tokens.
func (r *reference) attention(layer int, x [][]float64) [][]float64 {
	d, c := r.c.HeadDim, r.c
	var keys, values, all [][]float64
	scale := math.Sqrt(float64(d))
	if c.QueryScalar != 0 {
		scale = math.Sqrt(c.QueryScalar)
	}
	if c.Scales.Attention != 0 {
		scale = 1 / c.Scales.Attention
	}
	for p, in := range x {
		q, k := r.heads(layer, "q", in), r.heads(layer, "k", in)
		if c.NoRope == nil || !c.NoRope[layer] {
			for h := 0; h < len(q); h += d {
				r.turn(layer, q[h:h+d], p, len(x))
			}
			for h := 0; h < len(k); h += d {
				r.turn(layer, k[h:h+d], p, len(x))
			}
		}
		keys, values = append(keys, k), append(values, r.heads(layer, "v", in))
		first := 0
		if c.Window != nil && c.Window[layer] > 0 {
			first = max(0, p-c.Window[layer]+1)
		}
		out := make([]float64, len(q))
		for h := range c.Heads {
			kv, total := h/(c.Heads/c.KVHeads)*d, 0.0
			for j := first; j <= p; j++ {
				score := 0.0
				for e := range d {
					score += q[h*d+e] * keys[j][kv+e] / scale
				}
				weight := math.Exp(capped(score, c.Caps.Attention))
				total += weight
				for e := range d {
					out[h*d+e] += weight * values[j][kv+e]
				}
			}
			for e := range d {
				out[h*d+e] /= total
			}
		}
		all = append(all, product(r.layer(layer, "self_attn.o_proj"), 0, c.Hidden, out))
	}
	return all
}

// gate is the gated block of one token.
func (r *reference) gate(layer int, x []float64) []float64 {
	n := r.c.Intermediate
	gate, up := r.layer(layer, "mlp.gate_proj"), r.layer(layer, "mlp.up_proj")
	from := 0
	if fused := r.layer(layer, "mlp.gate_up_proj"); fused != nil {
		gate, up, from = fused, fused, n
	}
	g, u := product(gate, 0, n, x), product(up, from, n, x)
	for i, v := range g {
		f := v / (1 + math.Exp(-v))
		if r.gemma() {
			f = v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		}
		u[i] *= f
	}
	return product(r.layer(layer, "mlp.down_proj"), 0, r.c.Hidden, u)
}

// logits returns those after every token, one row after another.
func (r *reference) logits(tokens []int) []float32 {
	table, head := r.w["model.embed_tokens.weight"], r.w["lm_head.weight"]
	if r.c.Tied {
		head = table
	}
	grow := 1.0
	if r.gemma() {
		grow = math.Sqrt(float64(r.c.Hidden))
	} else if r.c.Scales.Embedding != 0 {
		grow = r.c.Scales.Embedding
	}
	x := make([][]float64, len(tokens))
	for p, t := range tokens {
		for _, v := range table[t*r.c.Hidden : (t+1)*r.c.Hidden] {
			x[p] = append(x[p], float64(v)*grow)
		}
	}
	for i := range r.c.Layers {
		r.block(i, x)
	}
	var z []float32
	for p := range x {
		for _, v := range product(head, 0, r.c.Vocab, r.norm(r.w["model.norm.weight"], x[p])) {
			z = append(z, float32(capped(over(v, r.c.Scales.Logits), r.c.Caps.Logits)))
		}
	}
	return z
}

// block takes the residual stream of all tokens through a layer.
func (r *reference) block(i int, x [][]float64) {
	before := map[string]string{"gemma2": "pre_feedforward_layernorm", "gemma3_text": "pre_feedforward_layernorm", "olmo2": "none"}[r.c.ModelType]
	if before == "" {
		before = "post_attention_layernorm"
	}
	read := func(name string, x []float64) []float64 {
		if r.c.ModelType == "olmo2" {
			return x
		}
		return r.norm(r.layer(i, name), x)
	}
	write := func(name string, y []float64) []float64 {
		if r.gemma() || r.c.ModelType == "olmo2" {
			return r.norm(r.layer(i, name), y)
		}
		z := make([]float64, len(y))
		for j, v := range y {
			z[j] = v
			if m := r.c.Scales.Residual; m != 0 {
				z[j] = v * m
			}
		}
		return z
	}
	in := make([][]float64, len(x))
	for p := range x {
		in[p] = read("input_layernorm", x[p])
	}
	for p, y := range r.attention(i, in) {
		x[p] = plus(x[p], write("post_attention_layernorm", y))
		x[p] = plus(x[p], write("post_feedforward_layernorm", r.gate(i, read(before, x[p]))))
	}
}

// The engine's logits are the reference's for every family, below and above the length where rotary frequencies change.
func TestForwardAgainstReference(t *testing.T) {
	linear := tiny
	linear.Rope = config.Rope{Theta: 100, Type: "linear", Factor: 3}
	all := modeltest.Shapes()
	all["linear"] = linear
	for name, c := range all {
		if c.QKVBias {
			continue // the reference has no biases; goldens have
		}
		t.Run(name, func(t *testing.T) {
			e := openTiny(t, c, engine.Options{})
			lively(t, e)
			r := &reference{c: &c, w: map[string][]float32{}}
			for _, p := range e.policies["full"].net.params {
				r.w[p.name] = p.w
			}
			for _, n := range []int{1, 12, 13, 30} {
				tokens := make([]int, n)
				for i := range tokens {
					tokens[i] = (7*i*i + 3*n) % c.Vocab
				}
				_, logits := e.states(t, []engine.Datum{{Policy: "full", Tokens: tokens}})
				near(t, name, logits, r.logits(tokens), 2e-4)
			}
		})
	}
}

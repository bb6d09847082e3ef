package native

import (
	"fmt"
	"slices"
	"strings"

	"parley/engine/native/kernel"
	"parley/model/config"
	"parley/model/weights"
)

// A net is one set of the model's weights: the frozen base, or the full copy that a policy trains.
type net struct {
	params       []*param       // all of them, in the order of the forward pass
	embed        *param         // [vocab, hidden]
	embedTable   *kernel.Matrix // embed of a frozen net, for look-ups; tied: that of head
	layers       []layer
	norm         *param // [hidden]
	head         linear // [vocab, hidden]; tied: its weight is embed
	lowPrecision bool   // products are of low precision: keys and values are bfloat16 too
}

// A layer is one transformer block.
type layer struct {
	norm1, norm2 *param                        // before attention and before the MLP; nil where the family has none
	post1, post2 *param                        // after them, before what they return is added; nil where the family has none
	qNorm, kNorm *param                        // [head dim], or [all heads]; nil where the family has none
	proj         [config.NumProjections]linear // a linear without weight: the family does not have it
}

// A linear is y = x·Wᵀ + b.
type linear struct {
	weight *param         // [out, in]
	bias   *param         // [out]; nil: none
	matrix *kernel.Matrix // weight, packed
}

// newNet lays out the tensors of a model, without values.
func newNet(c *shape) *net {
	n := &net{layers: make([]layer, c.Layers)}
	add := func(name string, shape ...int) *param {
		p := newParam(name, shape...)
		n.params = append(n.params, p)
		return p
	}
	n.embed = add("model.embed_tokens.weight", c.Vocab, c.Hidden)
	for i := range n.layers {
		n.layers[i] = newLayer(c, fmt.Sprintf("model.layers.%d.", i), add)
	}
	n.norm = add("model.norm.weight", c.Hidden)
	n.norm.norm = &c.Family().Norm
	n.head.weight = n.embed
	if !c.Tied {
		n.head.weight = add("lm_head.weight", c.Vocab, c.Hidden)
	}
	return n
}

func newLayer(c *shape, prefix string, add func(string, ...int) *param) layer {
	family := c.Family()
	var l layer
	norm := func(name string, width int) *param {
		p := add(prefix+name+".weight", width)
		p.norm = &family.Norm
		return p
	}
	if !family.NoPreNorms {
		l.norm1 = norm("input_layernorm", c.Hidden)
	}
	for _, p := range family.Projections() {
		out, in := c.Widths(p)
		l.proj[p].weight = add(prefix+p.Module()+".weight", out, in)
		if c.HasBias(p) {
			l.proj[p].bias = add(prefix+p.Module()+".bias", out)
		}
		if p != config.OProj {
			continue
		}
		switch {
		case !family.PostNorms:
			l.norm2 = norm("post_attention_layernorm", c.Hidden)
		case family.NoPreNorms:
			l.post1, l.post2 = norm("post_attention_layernorm", c.Hidden), norm("post_feedforward_layernorm", c.Hidden)
		default:
			l.post1, l.post2 = norm("post_attention_layernorm", c.Hidden), norm("post_feedforward_layernorm", c.Hidden)
			l.norm2 = norm("pre_feedforward_layernorm", c.Hidden)
		}
	}
	if family.QKNorm {
		q, k := c.HeadDim, c.HeadDim
		if family.WholeQKNorm {
			q, k = c.QueryWidth(), c.KeyWidth()
		}
		l.qNorm, l.kNorm = norm("self_attn.q_norm", q), norm("self_attn.k_norm", k)
	}
	return l
}

// linears lists every matrix that is used as a product.
func (n *net) linears() []*linear {
	var all []*linear
	for i := range n.layers {
		for p := range config.NumProjections {
			if l := &n.layers[i].proj[p]; l.weight != nil {
				all = append(all, l)
			}
		}
	}
	return append(all, &n.head)
}

// checkNames compares what src has with what the model needs.
func (n *net) checkNames(src weights.Source) error {
	have := map[string]weights.Tensor{}
	for _, t := range src.Tensors() {
		have[t.Name] = t
	}
	for _, p := range n.params {
		t, ok := have[p.name]
		if !ok {
			return fmt.Errorf("the checkpoint has no tensor %s (shape %v), which its config.json asks for", p.name, p.shape)
		}
		if !slices.Equal(t.Shape, p.shape) {
			return fmt.Errorf("tensor %s has shape %v; config.json asks for %v", p.name, t.Shape, p.shape)
		}
		delete(have, p.name)
	}
	for _, t := range src.Tensors() {
		if _, extra := have[t.Name]; extra && !n.ignored(t.Name) {
			return fmt.Errorf("the checkpoint has tensor %s (shape %v), which its config.json has no place for", t.Name, t.Shape)
		}
	}
	return nil
}

// ignored reports tensors that are no parameters of the net: a second copy of a tied head and rotary frequencies that follow
// from config.json, as old checkpoints carry them, and the factors that [Engine.readFrequencies] takes.
func (n *net) ignored(name string) bool {
	return name == "lm_head.weight" || strings.HasSuffix(name, ".rotary_emb.inv_freq") || name == frequencyFactors
}

// train makes every tensor of the net trainable.
func (n *net) train() {
	for _, p := range n.params {
		p.train()
	}
	if n.head.weight == n.embed {
		n.embed.lookupGrad = make([]float32, n.embed.size())
	}
}

// repack takes trained values over into the packed matrices and the gains of norms.
func (n *net) repack(k *kernel.Kernels) {
	for _, p := range n.params {
		p.refreshScale()
	}
	for _, l := range n.linears() {
		k.Repack(l.matrix, l.weight.w)
	}
}

// A shape is that of a model, with what the engine asks of it.
type shape struct{ config.Config }

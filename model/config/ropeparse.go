package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// ropeFile is rope_scaling of transformers 4 and rope_parameters of transformers 5.
type ropeFile struct {
	Type            string    `json:"rope_type"`
	OldType         string    `json:"type"`
	Theta           *float64  `json:"rope_theta"`
	Factor          float64   `json:"factor"`
	LowFreq         float64   `json:"low_freq_factor"`
	HighFreq        float64   `json:"high_freq_factor"`
	Original        int       `json:"original_max_position_embeddings"`
	Partial         *float64  `json:"partial_rotary_factor"`
	Short           []float64 `json:"short_factor"`
	Long            []float64 `json:"long_factor"`
	AttentionFactor *float64  `json:"attention_factor"`

	// Of yarn alone.
	BetaFast    float64         `json:"beta_fast"`
	BetaSlow    float64         `json:"beta_slow"`
	Scale       float64         `json:"mscale"`
	ScaleAllDim float64         `json:"mscale_all_dim"`
	Truncate    json.RawMessage `json:"truncate"`

	// In families where layers with a window have frequencies of their own, transformers 5 nests one of each.
	Full    *ropeFile `json:"full_attention"`
	Sliding *ropeFile `json:"sliding_attention"`
}

// ropes fills in c.Rope, and c.Local where the family has it. Of both layouts in one file transformers takes rope_scaling, unless that
// is empty; where layers with a window have frequencies of their own, rope_scaling is of the others.
func (f *file) ropes(family *Family, c *Config) (err error) {
	if f.Scaling.empty() {
		f.Scaling = nil
	}
	p := cmp.Or(f.Scaling, f.Parameters)
	nested := p != nil && (p.Full != nil || p.Sliding != nil)
	if nested && !family.local {
		return fmt.Errorf("rope_parameters of each layer type are not supported for model_type %s", f.ModelType)
	}
	if !family.local {
		c.Rope, err = f.rope(family, p, f.Theta, family.theta, c.Context)
		return err
	}
	switch {
	case f.Scaling != nil && (nested || f.Parameters != nil):
		return fmt.Errorf("rope_scaling must stand alone for model_type %s, with one type for layers without a window; write rope_parameters instead", f.ModelType)
	case f.Scaling == nil && !nested && !p.empty():
		return fmt.Errorf("rope_parameters need full_attention and sliding_attention for model_type %s", f.ModelType)
	}
	global, local := f.Scaling, (*ropeFile)(nil)
	if nested {
		global, local = p.Full, p.Sliding
	}
	if c.Rope, err = f.rope(family, global, f.Theta, family.theta, c.Context); err != nil {
		return err
	}
	r, err := f.rope(family, local, f.LocalTheta, 10000, c.Context)
	c.Local = &r
	return err
}

// empty reports whether s says nothing.
func (s *ropeFile) empty() bool { return s == nil || reflect.DeepEqual(*s, ropeFile{}) }

// rope reads one description of rotary angles. The base of the frequencies is s's own, or outer, or otherwise.
func (f *file) rope(family *Family, s *ropeFile, outer *float64, otherwise float64, context int) (Rope, error) {
	s = cmp.Or(s, &ropeFile{})
	r := Rope{Theta: *cmp.Or(s.Theta, outer, &otherwise)}
	if partial := cmp.Or(s.Partial, f.Partial); partial != nil && *partial != 1 {
		if r.Partial = *partial; r.Partial == 0 {
			return r, fmt.Errorf("partial_rotary_factor = 0 is not supported")
		}
	}
	kind := cmp.Or(s.Type, s.OldType, "default")
	if !family.scales("yarn") && family.scales("longrope") && (kind == "su" || kind == "yarn") {
		kind = "longrope" // its names in the first checkpoints of Phi-3
	}
	if kind == "default" {
		return r, nil
	}
	if !family.scales(kind) {
		return r, fmt.Errorf("rope type %q is not supported for model_type %s; default and %v are", kind, f.ModelType, family.scalings)
	}
	r.Type = kind
	switch kind {
	case "linear":
		r.Factor = s.Factor
	case "dynamic":
		r.Factor, r.Original = s.Factor, context
	case "llama3":
		r.Factor, r.LowFreq, r.HighFreq, r.Original = s.Factor, s.LowFreq, s.HighFreq, cmp.Or(f.Original, s.Original, context)
	case "longrope":
		return r, f.long(family, &r, s, context)
	case "yarn":
		r.Factor, r.Original = s.Factor, cmp.Or(f.Original, s.Original, context)
		return r, s.yarn(&r)
	}
	return r, nil
}

// yarn reads yarn's own fields.
func (s *ropeFile) yarn(r *Rope) error {
	r.BetaFast, r.BetaSlow = cmp.Or(s.BetaFast, 32), cmp.Or(s.BetaSlow, 1)
	switch string(s.Truncate) {
	case "", "true":
	case "false", "null": // transformers takes both for no
		r.Smooth = true
	default:
		return fmt.Errorf("truncate = %s is not supported; true and false are", s.Truncate)
	}
	switch {
	case s.AttentionFactor != nil:
		r.AttentionFactor = *s.AttentionFactor
	case s.Scale != 0 && s.ScaleAllDim != 0:
		r.AttentionFactor = yarnFactor(r.Factor, s.Scale) / yarnFactor(r.Factor, s.ScaleAllDim)
	default:
		r.AttentionFactor = yarnFactor(r.Factor, 1)
	}
	return nil
}

// yarnFactor is yarn's factor on cosines and sines for a context that is factor times as long (Peng et al. 2023, §3.4).
func yarnFactor(factor, weight float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 0.1*weight*math.Log(factor) + 1
}

// long reads longrope's own fields.
func (f *file) long(family *Family, r *Rope, s *ropeFile, context int) error {
	r.Short, r.Long, r.Original = s.Short, s.Long, cmp.Or(f.Original, s.Original, context)
	if family.originalOutside > 0 {
		r.Original = cmp.Or(f.Original, family.originalOutside)
	}
	if s.Original != 0 && s.Original != r.Original {
		return fmt.Errorf("original_max_position_embeddings is %d in the rope parameters and %d outside; transformers takes the latter: "+
			"write one number in both", s.Original, r.Original)
	}
	if r.AttentionFactor = longRopeFactor(cmp.Or(s.Factor, float64(context)/float64(r.Original)), r.Original); s.AttentionFactor != nil {
		r.AttentionFactor = *s.AttentionFactor
	}
	return nil
}

// longRopeFactor is longrope's factor on cosines and sines for a context that is factor times as long as original.
func longRopeFactor(factor float64, original int) float64 {
	if factor <= 1 {
		return 1
	}
	return math.Sqrt(1 + math.Log(factor)/math.Log(float64(original)))
}

// json writes r into a config.json, in the layout of transformers 4.
func (r *Rope) json(m map[string]any) {
	m["rope_theta"] = r.Theta
	if r.Partial != 0 {
		m["partial_rotary_factor"] = r.Partial
	}
	if r.Type == "longrope" {
		m["original_max_position_embeddings"] = r.Original
	}
	if s := r.scaling(); s != nil {
		m["rope_scaling"] = s
	}
}

func (r *Rope) scaling() map[string]any {
	switch r.Type {
	case "linear", "dynamic":
		return map[string]any{"rope_type": r.Type, "factor": r.Factor}
	case "llama3":
		return map[string]any{
			"rope_type": "llama3", "factor": r.Factor, "low_freq_factor": r.LowFreq,
			"high_freq_factor": r.HighFreq, "original_max_position_embeddings": r.Original,
		}
	case "longrope":
		return map[string]any{"rope_type": "longrope", "short_factor": r.Short, "long_factor": r.Long, "attention_factor": r.AttentionFactor}
	case "yarn":
		return map[string]any{
			"rope_type": "yarn", "factor": r.Factor, "original_max_position_embeddings": r.Original, "attention_factor": r.AttentionFactor,
			"beta_fast": r.BetaFast, "beta_slow": r.BetaSlow, "truncate": !r.Smooth,
		}
	}
	return nil
}

// nested writes r as transformers 5 does for one type of layers.
func (r *Rope) nested() map[string]any {
	m := r.scaling()
	if m == nil {
		m = map[string]any{"rope_type": "default"}
	}
	m["rope_theta"] = r.Theta
	return m
}

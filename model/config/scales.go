package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
)

// Caps bound scores and logits: x becomes cap·tanh(x/cap) (Gemma Team 2024, Gemma 2, §2). 0: no cap.
type Caps struct {
	Attention float64 // of attention scores, before the softmax
	Logits    float64
}

// Scales are what a family multiplies by instead of what other families do. The zero value: nothing of its own.
type Scales struct {
	Embedding float64 // of embeddings
	Attention float64 // of attention scores, instead of 1/sqrt(HeadDim)
	Residual  float64 // of what a block adds to the residual stream
	Logits    float64 // logits are divided by it
}

// ScoreScale returns what products of queries and keys are multiplied by.
func (c *Config) ScoreScale() float64 {
	if c.Scales.Attention != 0 {
		return c.Scales.Attention
	}
	return 1 / math.Sqrt(cmp.Or(c.QueryScalar, float64(c.HeadDim)))
}

// EmbeddingScale returns what embeddings are multiplied by.
func (c *Config) EmbeddingScale() float64 {
	if c.Family().ScaledEmbedding {
		return math.Sqrt(float64(c.Hidden))
	}
	return cmp.Or(c.Scales.Embedding, 1)
}

// ResidualScale returns what a block's output is multiplied by before it is added.
func (c *Config) ResidualScale() float64 { return cmp.Or(c.Scales.Residual, 1) }

// LogitDivisor returns what logits are divided by, before their cap.
func (c *Config) LogitDivisor() float64 { return cmp.Or(c.Scales.Logits, 1) }

func (s Caps) check(family *Family) error {
	if s.Logits != 0 && !family.caps || s.Attention != 0 && family.attentionCap == 0 {
		return fmt.Errorf("config: softcapping is not of this model_type")
	}
	for name, v := range map[string]float64{"attn_logit_softcapping": s.Attention, "final_logit_softcapping": s.Logits} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("config.json: %s %g must be a number above 0, or null", name, v)
		}
	}
	return nil
}

func (s Scales) check(family *Family) error {
	if !family.scaled {
		if s != (Scales{}) {
			return fmt.Errorf("config: multipliers are not of this model_type")
		}
		return nil
	}
	for name, v := range map[string]float64{
		"embedding_multiplier": s.Embedding, "attention_multiplier": s.Attention, "residual_multiplier": s.Residual, "logits_scaling": s.Logits,
	} {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("config.json: %s %g must be a number above 0", name, v)
		}
	}
	return nil
}

// scaleFile has the fields of a config.json that Caps and Scales come from.
type scaleFile struct {
	AttentionCap        optional `json:"attn_logit_softcapping"`
	LogitCap            optional `json:"final_logit_softcapping"`
	EmbeddingMultiplier optional `json:"embedding_multiplier"`
	AttentionMultiplier optional `json:"attention_multiplier"`
	ResidualMultiplier  optional `json:"residual_multiplier"`
	LogitsScaling       optional `json:"logits_scaling"`
}

// scales fills in c.Caps and c.Scales.
func (f *scaleFile) scales(family *Family, c *Config) error {
	if family.caps {
		c.Caps = Caps{f.AttentionCap.or(family.attentionCap), f.LogitCap.or(family.logitCap)}
		for name, cap := range map[string]optional{"attn_logit_softcapping": f.AttentionCap, "final_logit_softcapping": f.LogitCap} {
			if cap.present && !cap.null && cap.value == 0 {
				return fmt.Errorf("%s = 0 is not supported; write null for no cap", name)
			}
		}
	}
	if family.scaled {
		c.Scales = Scales{f.EmbeddingMultiplier.or(1), f.AttentionMultiplier.or(1), f.ResidualMultiplier.or(1), f.LogitsScaling.or(1)}
	}
	return nil
}

// scalesJSON writes what differs from families without caps and scales into a config.json.
func (c *Config) scalesJSON(m map[string]any) {
	if c.Family().caps {
		m["final_logit_softcapping"] = nullable(c.Caps.Logits)
	}
	if c.Family().attentionCap > 0 {
		m["attn_logit_softcapping"] = nullable(c.Caps.Attention)
	}
	if c.Family().scaled {
		m["embedding_multiplier"], m["attention_multiplier"] = c.Scales.Embedding, c.Scales.Attention
		m["residual_multiplier"], m["logits_scaling"] = c.Scales.Residual, c.Scales.Logits
	}
}

func nullable(v float64) any {
	if v == 0 {
		return nil
	}
	return v
}

// An optional is a number that may be missing or null, which are two things: a missing one has its family's default.
type optional struct {
	present, null bool
	value         float64
}

// UnmarshalJSON implements [json.Unmarshaler]; it is called for null too.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.present = true
	if o.null = bytes.Equal(data, []byte("null")); o.null {
		return nil
	}
	return json.Unmarshal(data, &o.value)
}

// or returns the number; 0 where it is null, and otherwise where it is missing.
func (o optional) or(otherwise float64) float64 {
	if !o.present {
		return otherwise
	}
	return o.value
}

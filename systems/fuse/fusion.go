package fuse

// This file trains one student on the soft targets of several teachers beside the text itself (FuseLLM, arXiv 2401.10491, §3):
//
//	L = λ·L_CLM + (1−λ)·L_Fusion
//	L_CLM    = mean over places of −log p(gold)
//	L_Fusion = mean over places of −Σ target·log p      (form kl adds Σ target·log target)
//
// Teachers have a cost x_j on a text: their mean cross-entropy a token, or per character, for finer tokenizers look better a token.
//
//	min_ce   the target is that of the cheapest teacher, for the whole text
//	avg_ce   the target is a mixture with the weights softmax_j(e^(−x_j)), which are nearly uniform
//
// and λ is fixed, rises linearly to 1, or follows the teachers: 1 − max_j e^(−x_j), with avg_ce 1 − mean_j e^(−x_j).
//
//	choice := objective.Choose(teachers)         // of one text
//	lambda := schedule.At(step, steps, choice)
//	mean := Mean{Places: n}
//	for each of the n places that count:
//		grad := mean.Add(Place(logits, gold, choice.Target(rows), lambda, form))
//
// Everything is computed place by place: no table of places times vocabulary is needed. Both losses together are the cross-entropy of one target
// ([Mix]), which is what an engine trains towards. λ = 1 is plain language modelling bit for bit. One teacher with rows of the student's tokenizer is
// distillation of a team into one model.

import (
	"fmt"
	"math"
	"slices"

	"parley/internal/tie"
)

// A Teacher is how well a teacher knows one text.
type Teacher struct {
	CE     float64 // mean cross-entropy a token
	Tokens int     // of the text, as its tokenizer cuts it
	Chars  int     // of the text
}

// Words of an objective.
const (
	MinCE    = "min_ce"
	AvgCE    = "avg_ce"
	PerToken = "token"
	PerChar  = "char"
)

// An Objective says how teachers are put together.
type Objective struct {
	Fusion string // MinCE or AvgCE
	Per    string // PerToken or PerChar
}

// A Choice is what becomes of the teachers of one text.
type Choice struct {
	Chosen  int       // of min_ce; −1: a mixture
	Weights []float64 // of avg_ce
	belief  []float64 // e^(−x_j)
}

// Choose weighs the teachers of one text, of which there are some.
func (o Objective) Choose(teachers []Teacher) (Choice, error) {
	if o.Fusion != MinCE && o.Fusion != AvgCE || o.Per != PerToken && o.Per != PerChar || len(teachers) == 0 {
		return Choice{}, fmt.Errorf("fusion %q of %d teachers per %q: write min_ce or avg_ce, of one teacher at least, per token or char", o.Fusion, len(teachers), o.Per)
	}
	costs := make([]float64, len(teachers)) // negative: the cheapest is the greatest
	c := Choice{Chosen: -1}
	for j, t := range teachers {
		x := t.CE
		if o.Per == PerChar {
			if t.Chars < 1 {
				return Choice{}, fmt.Errorf("fusion: teacher %d has a text of %d characters", j+1, t.Chars)
			}
			x *= float64(t.Tokens) / float64(t.Chars)
		}
		costs[j] = -x
		c.belief = append(c.belief, math.Exp(-x))
	}
	if o.Fusion == MinCE {
		c.Chosen = tie.Best(costs, 0)
		return c, nil
	}
	sum := 0.0
	for _, b := range c.belief {
		c.Weights = append(c.Weights, math.Exp(b)) // at most e
		sum += math.Exp(b)
	}
	for j := range c.Weights {
		c.Weights[j] /= sum
	}
	return c, nil
}

// A Target is a distribution over next tokens; what is not listed has no probability.
type Target struct {
	IDs   []int
	Probs []float64
}

// Target puts the rows of all teachers at one place together.
func (c Choice) Target(rows []Target) Target {
	if c.Chosen >= 0 {
		return rows[c.Chosen]
	}
	var out Target
	at := map[int]int{}
	for j, row := range rows {
		for i, id := range row.IDs {
			k, there := at[id]
			if !there {
				k = len(out.IDs)
				at[id] = k
				out.IDs, out.Probs = append(out.IDs, id), append(out.Probs, 0)
			}
			out.Probs[k] += c.Weights[j] * row.Probs[i]
		}
	}
	return out
}

// Schedules of λ.
const (
	Fixed   = "fixed"
	Linear  = "linear"
	Dynamic = "dynamic"
)

// A Schedule says how much the text itself counts.
type Schedule struct {
	Kind  string  // Fixed, Linear or Dynamic
	Value float64 // of Fixed, and where Linear begins
}

// At returns λ at a step of so many.
func (s Schedule) At(step, steps int, c Choice) (float64, error) {
	switch s.Kind {
	case Fixed:
		return s.Value, nil
	case Linear:
		return s.Value + (1-s.Value)*float64(step)/float64(max(steps, 1)), nil
	case Dynamic:
		if c.Chosen >= 0 {
			return 1 - slices.Max(c.belief), nil
		}
		mean := 0.0
		for _, b := range c.belief {
			mean += b / float64(len(c.belief))
		}
		return 1 - mean, nil
	}
	return 0, fmt.Errorf("schedule %q of lambda: write fixed, linear or dynamic", s.Kind)
}

// A Form says what is added to the cross-entropy: nothing, or the target's own entropy, which changes no gradient.
type Form string

// The forms.
const (
	CrossEntropy Form = "ce"
	KL           Form = "kl"
)

// Mix returns the one target whose cross-entropy is λ·CLM + (1−λ)·Fusion: λ of it on the gold token, 1−λ on what teachers say. What has no mass is
// left out, so at λ = 1 the gold token stands alone.
func Mix(gold int, target Target, lambda float64) Target {
	out := Target{IDs: []int{gold}, Probs: []float64{lambda}}
	for i, id := range target.IDs {
		switch p := (1 - lambda) * target.Probs[i]; {
		case p == 0:
		case id == gold:
			out.Probs[0] += p
		default:
			out.IDs, out.Probs = append(out.IDs, id), append(out.Probs, p)
		}
	}
	if out.Probs[0] == 0 {
		out.IDs, out.Probs = out.IDs[1:], out.Probs[1:]
	}
	return out
}

// A PlaceLoss is the loss of one place, not yet averaged over places.
type PlaceLoss struct {
	CLM, Fusion float64
	Loss        float64   // λ·CLM + (1−λ)·Fusion
	Grad        []float64 // with respect to the logits: p·Σq − q, with q the mixed target
}

// Place returns the loss of one place: logits over the whole vocabulary, the token that follows, and the soft target.
func Place(logits []float64, gold int, target Target, lambda float64, form Form) PlaceLoss {
	logZ := logSumExp(logits)
	out := PlaceLoss{CLM: logZ - logits[gold], Grad: make([]float64, len(logits))}
	for i, id := range target.IDs {
		q := target.Probs[i]
		if q == 0 {
			continue // 0·log 0 = 0
		}
		out.Fusion += q * (logZ - logits[id])
		if form == KL {
			out.Fusion += q * math.Log(q)
		}
	}
	out.Loss = lambda*out.CLM + (1-lambda)*out.Fusion
	mixed, mass := Mix(gold, target, lambda), 0.0
	for _, q := range mixed.Probs {
		mass += q
	}
	for id, x := range logits {
		out.Grad[id] = mass * math.Exp(x-logZ)
	}
	for i, id := range mixed.IDs {
		out.Grad[id] -= mixed.Probs[i]
	}
	return out
}

// A Mean is the loss of a text, the mean over the places that count.
type Mean struct {
	Places            int // how many count in all
	CLM, Fusion, Loss float64
}

// Add adds one place that counts, and returns its gradient in the mean; p.Grad is overwritten.
func (m *Mean) Add(p PlaceLoss) []float64 {
	n := float64(m.Places)
	m.CLM += p.CLM / n
	m.Fusion += p.Fusion / n
	m.Loss += p.Loss / n
	for id := range p.Grad {
		p.Grad[id] /= n
	}
	return p.Grad
}

// logSumExp is log Σ e^x without overflow.
func logSumExp(x []float64) float64 {
	most, sum := slices.Max(x), 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

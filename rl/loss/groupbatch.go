package loss

import (
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// A Completion is what a loss has to know about one sampled completion.
type Completion struct {
	Tokens    int       // number of sampled tokens, the end token included
	Advantage float64   // of the completion inside its group
	Behaviour []float32 // [Tokens] log-probabilities they were drawn with; needed for ratios, may be nil without a cap
}

// A NodeSample is the unit of training: the group of completions that one agent sampled at one node of a rollout.
type NodeSample struct {
	Turn        int     // from 0
	Weight      float64 // of its loss: 1, or a chain turn's weight
	Completions []Completion
	// Factor is that of every token, where whole episodes say what losses are averaged over (see [Per.Factors]); 0: as the objective's reduction
	// says of the group, over the node samples of the minibatch.
	Factor float64
}

// A GroupObjective says how node samples are trained on.
type GroupObjective struct {
	Reduction Reduction
	// Cap limits the behaviour weights min(π/π_behaviour, Cap). 0 trains without weights, which is right when the
	// log-probabilities of the data are those of the sampling distribution and the policy has not moved since.
	Cap float64
}

// A GroupBatch is the loss of one minibatch of node samples, the average of their group losses. Its Gradient method is the
// [engine.Loss] for the data of all completions in order: those of the first node sample, then those of the second, ….
type GroupBatch struct {
	completions []Completion
	scales      []float64 // dLoss/dLogprob of each completion's tokens before behaviour weights
	limit       float64
	terms       []term // by completion, summed in order so that statistics do not depend on splits either
}

// term is what one completion adds to the statistics.
type term struct {
	loss, ratioSum, ratioMax float64
	ratios                   int
}

// NewGroupBatch prepares the loss of a minibatch.
func NewGroupBatch(samples []NodeSample, o GroupObjective) (*GroupBatch, error) {
	if err := o.Reduction.Check(); err != nil {
		return nil, err
	}
	b := &GroupBatch{limit: o.Cap}
	for i, s := range samples {
		lengths := make([]int, len(s.Completions))
		for j, c := range s.Completions {
			if err := c.check(o.Cap); err != nil {
				return nil, fmt.Errorf("node sample %d, completion %d: %w", i, j, err)
			}
			lengths[j] = c.Tokens
		}
		for j, scale := range o.Reduction.TokenScales(lengths) {
			c := s.Completions[j]
			b.completions = append(b.completions, c)
			if s.Factor != 0 {
				b.scales = append(b.scales, -s.Factor*c.Advantage*s.Weight)
				continue
			}
			b.scales = append(b.scales, -scale*c.Advantage*s.Weight/float64(len(samples)))
		}
	}
	b.terms = make([]term, len(b.completions))
	return b, nil
}

func (c Completion) check(limit float64) error {
	if c.Behaviour == nil && limit != 0 {
		return fmt.Errorf("behaviour weights need the log-probabilities the tokens were drawn with")
	}
	if c.Behaviour != nil && len(c.Behaviour) != c.Tokens {
		return fmt.Errorf("%d behaviour log-probabilities for %d tokens", len(c.Behaviour), c.Tokens)
	}
	if math.IsNaN(c.Advantage) || math.IsInf(c.Advantage, 0) {
		return fmt.Errorf("advantage %v: %w", c.Advantage, engine.ErrNotFinite)
	}
	return nil
}

// Still says that the gradient is zero whatever the policy is: no completion has an advantage that counts.
func (b *GroupBatch) Still() bool {
	return !slices.ContainsFunc(b.scales, func(s float64) bool { return s != 0 })
}

// Gradient implements [engine.Loss].
func (b *GroupBatch) Gradient(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	return gradients("group loss", "completion", first, len(b.completions), outputs, func(i int, out engine.Output) (g engine.Gradient, err error) {
		g.Logprobs, err = b.one(i, out.Logprobs)
		return g, err
	})
}

// one returns dLoss/d log π of every token of completion i: −scale·A·weight·min(ρ, Cap), with ρ = π/π_behaviour as a constant.
func (b *GroupBatch) one(i int, logprobs []float32) ([]float32, error) {
	c := b.completions[i]
	if len(logprobs) != c.Tokens {
		return nil, fmt.Errorf("%d log-probabilities for %d tokens", len(logprobs), c.Tokens)
	}
	var t term
	grad := make([]float32, len(logprobs))
	for k, lp := range logprobs {
		g := b.scales[i]
		if c.Behaviour != nil {
			ratio := math.Exp(float64(lp) - float64(c.Behaviour[k]))
			t.count(ratio)
			if b.limit != 0 {
				g *= math.Min(ratio, b.limit)
			}
		}
		t.loss += g * float64(lp)
		grad[k] = float32(g)
	}
	if math.IsNaN(t.loss) || math.IsInf(t.loss, 0) {
		return nil, fmt.Errorf("loss %v: %w", t.loss, engine.ErrNotFinite)
	}
	b.terms[i] = t
	return grad, nil
}

func (t *term) count(ratio float64) {
	t.ratios++
	t.ratioSum += ratio
	t.ratioMax = math.Max(t.ratioMax, ratio)
}

// GroupStats describes a minibatch after its forward pass.
type GroupStats struct {
	Loss      float64
	RatioMean float64 // mean over tokens of π/π_behaviour, before the cap; 0 where behaviour is unknown
	RatioMax  float64
}

// Stats returns the statistics of everything that Gradient has seen.
func (b *GroupBatch) Stats() GroupStats {
	var s GroupStats
	ratios := 0
	for _, t := range b.terms {
		s.Loss += t.loss
		s.RatioMean += t.ratioSum
		s.RatioMax = math.Max(s.RatioMax, t.ratioMax)
		ratios += t.ratios
	}
	if ratios > 0 {
		s.RatioMean /= float64(ratios)
	}
	return s
}

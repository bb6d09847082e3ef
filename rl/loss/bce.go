package loss

import (
	"fmt"
	"math"

	"parley/engine"
)

// LossTokens says which tokens of a solution a verifier learns from (MAPoRL §3).
type LossTokens string

const (
	AllTokens LossTokens = "all"       // every prefix of the solution (the paper's default)
	LastHalf  LossTokens = "last_half" // tokens with 0-based index ≥ floor(n/2); the paper reports better results
	LastToken LossTokens = "last"
)

// Check reports whether l is known.
func (l LossTokens) Check() error {
	if l != AllTokens && l != LastHalf && l != LastToken {
		return fmt.Errorf("loss_tokens %q is not known: use %q, %q or %q", string(l), AllTokens, LastHalf, LastToken)
	}
	return nil
}

// First returns the index of the first used token of a solution of n tokens.
func (l LossTokens) First(n int) int {
	switch l {
	case LastHalf:
		return n / 2
	case LastToken:
		return n - 1
	}
	return 0
}

// BinaryCrossEntropy returns −[y·log p + (1−y)·log(1−p)] for p = σ(logit), and its derivative with respect to the logit,
// p − y. Neither overflows. Its minimum over many solutions that share a prefix is the share of right ones (MAPoRL Theorem 1).
func BinaryCrossEntropy(logit float64, right bool) (loss, grad float64) {
	if right {
		return softplus(-logit), -sigmoid(-logit)
	}
	return softplus(logit), sigmoid(logit)
}

// A VerifierBatch is the loss of a verifier, a policy with a value head whose values are logits: every used token of a
// solution is labelled with whether the solution's final answer is right; tokens are averaged within a solution, then
// solutions over the batch (MAPoRL §3). Its Gradient method is the [engine.Loss] for the solutions in order.
type VerifierBatch struct {
	tokens LossTokens
	right  []bool
	scale  float64
	terms  []VerifierStats
}

// VerifierStats describes a verifier over the solutions of a batch.
type VerifierStats struct {
	Loss      float64 `json:"loss"`
	Solutions int     `json:"solutions"`
	Accuracy  float64 `json:"accuracy"` // share of scores above ½ for right and below ½ for wrong solutions; ½ counts as neither
	Score     float64 `json:"score"`    // mean score
}

// NewVerifierBatch prepares the loss of solutions with these labels. window is as in [NewPolicyBatch].
func NewVerifierBatch(tokens LossTokens, right []bool, window int) (*VerifierBatch, error) {
	if err := tokens.Check(); err != nil {
		return nil, err
	}
	scale, err := meanOver(len(right), window)
	if err != nil {
		return nil, fmt.Errorf("verifier loss: %w", err)
	}
	return &VerifierBatch{tokens: tokens, right: right, scale: scale, terms: make([]VerifierStats, len(right))}, nil
}

// Gradient implements [engine.Loss].
func (b *VerifierBatch) Gradient(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	return gradients("verifier loss", "solution", first, len(b.right), outputs, func(i int, out engine.Output) (g engine.Gradient, err error) {
		g.Values, err = b.solution(i, out.Values)
		return g, err
	})
}

// solution takes values [n+1]: the logit of a prefix that ends with token x is that of the state after it, values[x+1].
func (b *VerifierBatch) solution(i int, values []float32) ([]float32, error) {
	n := len(values) - 1
	if n < 1 {
		return nil, fmt.Errorf("%d values: the verifier needs a value head, and a solution a token", len(values))
	}
	first := b.tokens.First(n)
	scale := b.scale / float64(n-first)
	grad := make([]float32, len(values))
	loss := 0.0
	for x := first; x < n; x++ {
		l, g := BinaryCrossEntropy(float64(values[x+1]), b.right[i])
		loss += scale * l
		grad[x+1] = float32(scale * g)
	}
	if err := checkFinite(loss); err != nil {
		return nil, err
	}
	b.terms[i] = VerifierStats{Loss: loss, Solutions: 1, Score: VerifierScore(values), Accuracy: float64(count(b.hit(i, values[n])))}
	return grad, nil
}

func (b *VerifierBatch) hit(i int, logit float32) bool {
	if b.right[i] {
		return logit > 0
	}
	return logit < 0
}

// Stats returns the statistics of the solutions that Gradient has seen.
func (b *VerifierBatch) Stats() VerifierStats {
	var s VerifierStats
	for _, t := range b.terms {
		s.Loss += t.Loss
		s.Solutions += t.Solutions
		s.Accuracy += t.Accuracy
		s.Score += t.Score
	}
	n := math.Max(1, float64(s.Solutions))
	s.Accuracy /= n
	s.Score /= n
	return s
}

// VerifierScore returns the verifier's probability that the final answer of a solution is right: its output at the last
// token, from the values [n+1] of the solution.
func VerifierScore(values []float32) float64 { return sigmoid(float64(values[len(values)-1])) }

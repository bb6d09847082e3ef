package credit

import (
	"fmt"
	"math"
)

// In MAPoRL one answer of one agent at one turn is one episode of n tokens, the sampled end token included (MAPoRL §4).
// Turns meet only in the reward that the answer is given at its end.

// A KL says how the distance of the policy π from the reference π_ref is estimated at a sampled token (MAPoRL §4).
type KL string

const (
	KLSampled          KL = "sampled"            // log π − log π_ref, unbiased for KL(π‖π_ref) (the default)
	KLRefPolicySampled KL = "ref_policy_sampled" // u·log u with u = π_ref/π, unbiased for KL(π_ref‖π), the direction the paper prints
	KLRefPolicyExact   KL = "ref_policy_exact"   // KL(π_ref‖π) over the whole vocabulary: an engine's to compute
)

// Check reports whether k is a known form.
func (k KL) Check() error {
	if k != KLSampled && k != KLRefPolicySampled && k != KLRefPolicyExact {
		return fmt.Errorf("kl %q is not known: use %q, %q or %q", string(k), KLSampled, KLRefPolicySampled, KLRefPolicyExact)
	}
	return nil
}

// SampledKL returns the KL term of every sampled token from its log-probabilities under the policy that sampled it and under
// the reference, both at the sampling temperature. The exact form cannot be had from these.
func SampledKL[F float32 | float64](k KL, policy, reference []F) ([]float64, error) {
	if len(policy) != len(reference) {
		return nil, fmt.Errorf("kl: %d log-probabilities of the policy, %d of the reference", len(policy), len(reference))
	}
	if k == KLRefPolicyExact || k.Check() != nil {
		return nil, fmt.Errorf("kl: %q needs more than the sampled tokens' log-probabilities", string(k))
	}
	terms := make([]float64, len(policy))
	for i := range terms {
		d := float64(policy[i]) - float64(reference[i])
		terms[i] = d
		if k == KLRefPolicySampled {
			terms[i] = -d * math.Exp(-d)
		}
	}
	return terms, nil
}

// A Terminal says at which position an answer gets its reward (MAPoRL §4).
type Terminal string

const (
	TerminalLast Terminal = "last" // the answer's last token (the default)
	TerminalTRL  Terminal = "trl"  // one position past it, when the answer is shorter than the longest allowed: as TRL does
)

// Check reports whether t is known.
func (t Terminal) Check() error {
	if t != TerminalLast && t != TerminalTRL {
		return fmt.Errorf("terminal %q is not known: use %q or %q", string(t), TerminalLast, TerminalTRL)
	}
	return nil
}

// Positions returns how many positions of an answer of n tokens have rewards and values: n, or n+1 under [TerminalTRL] when
// the answer is shorter than limit, the most tokens that could have been sampled. Only the first n are policy actions.
func (t Terminal) Positions(n, limit int) int {
	if t == TerminalTRL && n < limit {
		return n + 1
	}
	return n
}

// TokenRewards returns the rewards of an answer with so many positions: −λ_KL·kl for every token, and the reward of the
// answer, its incentives included, at the last position. There are as many positions as tokens, or one more.
func TokenRewards(kl []float64, coefficient, reward float64, positions int) []float64 {
	rewards := make([]float64, positions)
	for i, k := range kl {
		rewards[i] = -coefficient * k
	}
	rewards[positions-1] += reward
	return rewards
}

// GAE is generalised advantage estimation (Schulman et al. 2016) over the tokens of one answer.
type GAE struct {
	Gamma  float64 `json:"gamma"`  // discount per token; not the discount over turns
	Lambda float64 `json:"lambda"` // 0: one-step differences; 1: return minus value
}

// Estimate returns the advantages A and the returns G = A + V, the value targets, from the rewards and the values V of the
// states before each token:
//
//	δ_x = r_x + γ V_{x+1} − V_x,  A_x = δ_x + γ λ A_{x+1},
//
// where the value after the last position is 0. Values beyond the rewards are not read.
func (g GAE) Estimate(rewards, values []float64) (advantages, returns []float64) {
	advantages, returns = make([]float64, len(rewards)), make([]float64, len(rewards))
	nextValue, nextAdvantage := 0.0, 0.0
	for x := len(rewards) - 1; x >= 0; x-- {
		delta := rewards[x] + g.Gamma*nextValue - values[x]
		nextAdvantage = delta + g.Gamma*g.Lambda*nextAdvantage
		nextValue = values[x]
		advantages[x], returns[x] = nextAdvantage, nextAdvantage+values[x]
	}
	return advantages, returns
}

// TDTarget returns the target of a turn-level critic (MAGRPO §5): Σ_{k<n} discount^k·r_k + discount^n·next, from the rewards of the
// turn and of the n−1 that follow it until the agent speaks again, and the critic's value of its history there; next is 0 where it does not.
// Where an agent speaks in every turn, n = 1: r_t + discount·V_{t+1}, and r of the last turn. The temporal-difference error of a
// turn is its target less the critic's value of the history before it.
func TDTarget(rewards []float64, next, discount float64) float64 {
	target := next
	for k := len(rewards) - 1; k >= 0; k-- {
		target = rewards[k] + discount*target
	}
	return target
}

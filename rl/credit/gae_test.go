package credit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func close9(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func nearly(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s is %v, want %v", what, got, want)
			return
		}
	}
}

// The PPO example of MAPoRL §13.
func TestMAPoRLSection13GAE(t *testing.T) {
	kl, err := SampledKL(KLSampled, []float64{-.5, -1, -.2}, []float64{-.6, -.8, -.2})
	if err != nil {
		t.Fatal(err)
	}
	rewards := TokenRewards(kl, .002, .837778, 3)
	nearly(t, "token rewards", rewards, []float64{-.0002, .0004, .837778}, 1e-12)
	advantages, returns := authors.Estimate(rewards, []float64{.5, .6, .7})
	nearly(t, "advantages", advantages, []float64{.319524645, .2312891, .137778}, 5e-10)
	nearly(t, "returns", returns, []float64{.819524645, .8312891, .837778}, 5e-10)
	nearly(t, "whitened", Whiten([][]float64{advantages})[0], []float64{.990185, .019349, -1.009533}, 5e-7)
}

// authors is γ_tok = 1, λ = 0.95.
var authors = GAE{Gamma: 1, Lambda: 0.95}

// exactKL is KL(reference‖policy) from the log-probabilities of the whole vocabulary.
func exactKL(policy, reference []float64) float64 {
	kl := 0.0
	for i, r := range reference {
		kl += math.Exp(r) * (r - policy[i])
	}
	return kl
}

// distribution draws log-probabilities of a small vocabulary.
func distribution(t *rapid.T, label string, n int) []float64 {
	logits := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, label)
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(l)
	}
	for i := range logits {
		logits[i] -= math.Log(sum)
	}
	return logits
}

// Each sampled form is unbiased for the direction that it stands for: its mean under the policy is the exact divergence.
func TestKLFormsAreUnbiased(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "vocabulary")
		policy, reference := distribution(t, "policy", n), distribution(t, "reference", n)
		for form, exact := range map[KL]float64{
			KLSampled: exactKL(reference, policy), KLRefPolicySampled: exactKL(policy, reference),
		} {
			terms, err := SampledKL(form, policy, reference)
			if err != nil {
				t.Fatal(err)
			}
			mean := 0.0
			for i, term := range terms {
				mean += math.Exp(policy[i]) * term
			}
			if !close9(mean, exact) || exact < -1e-12 {
				t.Fatalf("%s: mean %v, divergence %v", form, mean, exact)
			}
		}
	})
}

func TestKLRefusals(t *testing.T) {
	if _, err := SampledKL(KLSampled, make([]float32, 2), make([]float32, 3)); err == nil {
		t.Error("two policy and three reference log-probabilities: no error")
	}
	for _, k := range []KL{KLRefPolicyExact, "k3"} {
		if _, err := SampledKL(k, make([]float32, 2), make([]float32, 2)); err == nil {
			t.Errorf("%s from sampled tokens: no error", k)
		}
	}
	if KLRefPolicyExact.Check() != nil || KL("k3").Check() == nil || TerminalTRL.Check() != nil || Terminal("first").Check() == nil {
		t.Error("names are not told apart")
	}
}

// λ = 1 turns advantages into discounted returns minus values, λ = 0 into one-step differences; the returns of λ = 1 do not
// depend on the values.
func TestGAELimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n)
		rewards, values := numbers.Draw(t, "rewards"), numbers.Draw(t, "values")
		gamma := rapid.Float64Range(0, 1).Draw(t, "gamma")
		full, returns := GAE{Gamma: gamma, Lambda: 1}.Estimate(rewards, values)
		step, _ := GAE{Gamma: gamma, Lambda: 0}.Estimate(rewards, values)
		for x := range rewards {
			discounted, next := 0.0, 0.0
			for y := n - 1; y >= x; y-- {
				discounted = rewards[y] + gamma*discounted
			}
			if x+1 < n {
				next = values[x+1]
			}
			if !close9(returns[x], discounted) || !close9(full[x], discounted-values[x]) {
				t.Fatalf("λ 1, token %d: return %v, want %v", x, returns[x], discounted)
			}
			if !close9(step[x], rewards[x]+gamma*next-values[x]) {
				t.Fatalf("λ 0, token %d: advantage %v", x, step[x])
			}
		}
	})
}

// A critic that already knows the return leaves nothing to learn.
func TestPerfectCriticHasNoAdvantage(t *testing.T) {
	rewards := TokenRewards([]float64{0, 0, 0, 0}, .1, .7, 4)
	advantages, returns := authors.Estimate(rewards, []float64{.7, .7, .7, .7})
	nearly(t, "advantages", advantages, []float64{0, 0, 0, 0}, 1e-12)
	nearly(t, "returns", returns, []float64{.7, .7, .7, .7}, 1e-12)
}

// terminal=trl (MAPoRL §4): the reward stands one position past the last token where there is room, and that position has a
// value of its own.
func TestTerminalTRL(t *testing.T) {
	kl := []float64{.1, -.2, .3}
	for _, c := range []struct {
		terminal Terminal
		limit    int
		want     []float64
	}{
		{TerminalLast, 8, []float64{-.01, .02, 1.97}},
		{TerminalTRL, 8, []float64{-.01, .02, -.03, 2}},
		{TerminalTRL, 3, []float64{-.01, .02, 1.97}},
	} {
		rewards := TokenRewards(kl, .1, 2, c.terminal.Positions(len(kl), c.limit))
		nearly(t, "rewards", rewards, c.want, 1e-12)
	}
	rewards := TokenRewards(kl, .1, 2, 4)
	advantages, returns := GAE{Gamma: 1, Lambda: .95}.Estimate(rewards, []float64{1, 1, 1, 1.5})
	nearly(t, "last advantage", advantages[3:], []float64{.5}, 1e-12)
	nearly(t, "the one before", advantages[2:3], []float64{-.03 + 1.5 - 1 + .95*.5}, 1e-12)
	nearly(t, "last return", returns[3:], []float64{2}, 1e-12)
}

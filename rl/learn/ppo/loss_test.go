package ppo

import (
	"context"
	"math"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// A watched engine keeps the gradients of the log-probabilities that it was trained with last.
type watched struct {
	*learntest.Engine
	gradients [][]float32
}

func (w *watched) ForwardBackward(ctx context.Context, data []engine.Datum, of engine.Loss) error {
	return w.Engine.ForwardBackward(ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		grads, err := of(first, outputs)
		if len(outputs[0].Logprobs) > 0 && err == nil {
			w.gradients = nil
			for _, g := range grads {
				w.gradients = append(w.gradients, g.Logprobs)
			}
		}
		return grads, err
	})
}

// A drifted token has moved away from the policy that sampled it.
type drifted struct{ ratio, advantage, toBase float64 } // toBase: log π_ref − log π

// slopes are the derivatives of a token's loss by its log-probability, at clip 0.2, clip_high 0.3, ratio_bound 1.5 and loss_kl 0.1; of gspo that
// of the whole answer's, for each of its tokens.
var slopes = map[string]func(drifted) float64{
	"ppo":                 clipped,
	"importance_sampling": func(t drifted) float64 { return -t.ratio * t.advantage },
	"reinforce":           func(t drifted) float64 { return -t.advantage },
	"cispo":               func(t drifted) float64 { return -min(max(t.ratio, 0.8), 1.3) * t.advantage },
	"gspo":                clipped,
	"clip_only": func(t drifted) float64 {
		if t.ratio < 0.8 || t.ratio > 1.3 {
			return 0
		}
		return -t.ratio * t.advantage
	},
	"ppo_two_sided": func(t drifted) float64 {
		if t.advantage < 0 && t.ratio > 1.5 {
			return 0
		}
		return clipped(t)
	},
	"grpo": func(t drifted) float64 { return clipped(t) - 0.1*(math.Exp(t.toBase)-1) },
}

// clipped is PPO's: nothing where the ratio has left the range in the direction of the advantage.
func clipped(t drifted) float64 {
	if t.advantage > 0 && t.ratio > 1.3 || t.advantage < 0 && t.ratio < 0.8 {
		return 0
	}
	return -t.ratio * t.advantage
}

// TestLosses: training follows the formula of ppo.loss, token by token, averaged within an answer and then over answers.
func TestLosses(t *testing.T) {
	ratios := [][]float64{{0.5, 0.9, 1.1}, {1.4, 2}, {1.6}}
	advantages := [][]float64{{1, -1, 2}, {2, -1}, {-1}}
	for name, slope := range slopes {
		m := learntest.NewTeam(t, learntest.Debate(t, 1, 1), learn.Policies{Sharing: "shared", FirstTrainedTurn: 1}, learn.CriticsOwn)
		w := &watched{Engine: m.Engine}
		settings := Settings{Loss: name, Clip: 0.2, ClipHigh: 0.3, RatioBound: 1.5, LossKL: 0.1, KLForm: "sampled", Terminal: "last", Schedule: "all", ValueCoef: 0.1}
		config := m.Config([]any{settings}, 1, 1)
		config.Actors[0].Engine = w
		l, err := newLearner(config)
		if err != nil {
			t.Fatal(err)
		}
		var batch []*answer
		var tokens [][]drifted
		for i := range ratios {
			a, drift := driftedAnswer(t, m.Engine, ratios[i], advantages[i])
			batch, tokens = append(batch, a), append(tokens, drift)
		}
		if err := l.minibatch(t.Context(), learn.PolicyRef{Engine: w, Policy: "policy"}, batch, 0, false, new(learn.Stats)); err != nil {
			t.Fatal(err)
		}
		for i, answer := range tokens {
			if name == string(loss.GSPO) {
				answer = wholeAnswer(answer)
			}
			for x, token := range answer {
				want := slope(token) / float64(len(answer)*len(tokens))
				if got := float64(w.gradients[i][x]); math.Abs(got-want) > 1e-6 {
					t.Errorf("%s, answer %d, token %d at %+v: gradient %v, want %v", name, i, x, token, got, want)
				}
			}
		}
	}
}

// driftedAnswer is an answer whose tokens have these ratios and advantages on an engine, and what its tokens are.
func driftedAnswer(t *testing.T, e *learntest.Engine, ratios, advantages []float64) (*answer, []drifted) {
	t.Helper()
	asked := &rollout.AgentTurn{Policy: "policy", Prompt: []int{1, 2}}
	c := &rollout.Completion{Tokens: []int{3, 1, 2}[:len(ratios)]}
	a := &answer{
		Answer: learn.Answer{AgentTurn: asked, Completion: c}, reads: asked, advantage: advantages,
		values: make([]float32, len(ratios)+1), returns: make([]float64, len(ratios)),
	}
	out, err := e.Forward(t.Context(), []engine.Datum{a.Datum("policy")})
	if err != nil {
		t.Fatal(err)
	}
	var tokens []drifted
	for x, lp := range out[0].Logprobs {
		c.Logprobs = append(c.Logprobs, lp-float32(math.Log(ratios[x])))
		a.Reference = append(a.Reference, lp+0.5*float32(x+1))
		tokens = append(tokens, drifted{ratios[x], advantages[x], 0.5 * float64(x+1)})
	}
	return a, tokens
}

// wholeAnswer gives every token the geometric mean of the ratios and the mean of the advantages.
func wholeAnswer(tokens []drifted) []drifted {
	log, advantage := 0.0, 0.0
	for _, t := range tokens {
		log += math.Log(t.ratio) / float64(len(tokens))
		advantage += t.advantage / float64(len(tokens))
	}
	out := make([]drifted, len(tokens))
	for i := range out {
		out[i] = drifted{ratio: math.Exp(log), advantage: advantage}
	}
	return out
}

// TestFirstPassOfAllLosses: right after a rollout every loss has the policy gradient, since no ratio has moved.
func TestFirstPassOfAllLosses(t *testing.T) {
	gradients := map[string]string{}
	for name := range slopes {
		m := learntest.NewTeam(t, learntest.Debate(t, 2, 2), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, learn.CriticsOwn)
		settings := Settings{Epochs: 1, Minibatches: 1, Loss: name, Clip: 0.2, RatioBound: 3, KLForm: "sampled", Terminal: "last", Schedule: "all", ValueCoef: 0.1, Lambda: 0.95, GammaToken: 1}
		l, err := newLearner(m.Config([]any{settings}, 1, 4))
		if err != nil {
			t.Fatal(err)
		}
		episodes := m.Play(t, 0, 4)
		learntest.Update(t, l, 0, episodes)
		for _, call := range m.Engine.Calls {
			gradients[name] += call + "\n"
		}
	}
	for name, got := range gradients {
		if name != string(loss.GSPO) && got != gradients["ppo"] { // whose tokens share one advantage
			t.Errorf("%s trains with other gradients than ppo on the first pass", name)
		}
	}
}

package preference

import (
	"context"
	"math"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
)

// A watched engine keeps what it was trained with: the gradient of each text's first token, and the scores before.
type watched struct {
	*learntest.Engine
	texts []text
}

// A text is a completion of a policy with its log-probability and the slope that it was trained with.
type text struct {
	policy  engine.Policy
	tokens  int
	logprob float64
	slope   float64
}

func (w *watched) ForwardBackward(ctx context.Context, data []engine.Datum, of engine.Loss) error {
	return w.Engine.ForwardBackward(ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		grads, err := of(first, outputs)
		for i := range grads {
			w.texts = append(w.texts, text{data[i].Policy, len(outputs[i].Logprobs), sum(outputs[i].Logprobs), float64(grads[i].Logprobs[0])})
		}
		return grads, err
	})
}

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// TestLosses: training follows the formula of preference.loss. Two agents learn from one pair; D is the difference of an agent's
// log-probabilities, better less worse.
func TestLosses(t *testing.T) {
	const beta, smoothing = 0.5, 0.2
	for name, slopes := range map[string]func(d [2]float64, won, lost text) (up, down float64){
		"madpo": func(d [2]float64, _, _ text) (up, down float64) {
			g := -beta * sigma(-beta*(d[0]+d[1]))
			return g, -g
		},
		"dpo": func(d [2]float64, won, lost text) (up, down float64) {
			own := won.logprob - lost.logprob
			g := -(1-smoothing)*beta*sigma(-beta*own) + smoothing*beta*sigma(beta*own)
			return g, -g
		},
		"ipo": func(_ [2]float64, won, lost text) (up, down float64) {
			own := won.logprob/float64(won.tokens) - lost.logprob/float64(lost.tokens)
			g := 2 * (own - 1/(2*beta))
			return g / float64(won.tokens), -g / float64(lost.tokens)
		},
	} {
		m := learntest.NewTeam(t, learntest.Debate(t, 2, 1), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, learn.CriticsNone)
		m.Group, m.Untrained = 2, true
		w := &watched{Engine: m.Engine}
		settings := Settings{Candidates: 2, Pairs: 1, Choose: "gap", Loss: name, Smoothing: smoothing, Beta: beta, Batch: 1, Iterations: 1, Comparator: "current", Replay: "current"}
		config := m.Config([]any{settings}, 1, 1)
		for i := range config.Actors {
			config.Actors[i].Engine = w
		}
		l, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		episodes := m.Play(t, 0, 8)
		for _, e := range episodes { // the first with a pair
			if err := l.Update(t.Context(), learn.Recorded(0, episodes[e.Index:e.Index+1])); err != nil {
				t.Fatal(err)
			}
			if len(w.texts) > 0 {
				break
			}
		}
		if len(w.texts) != 4 {
			t.Fatalf("%s: trained on %d texts, want two of each agent", name, len(w.texts))
		}
		d := [2]float64{w.texts[0].logprob - w.texts[1].logprob, w.texts[2].logprob - w.texts[3].logprob}
		for agent := range 2 {
			won, lost := w.texts[2*agent], w.texts[2*agent+1]
			up, down := slopes(d, won, lost)
			if won.policy != lost.policy || math.Abs(won.slope-up) > 1e-6 || math.Abs(lost.slope-down) > 1e-6 {
				t.Errorf("%s: trained with slopes %v and %v, want %v and %v", name, won.slope, lost.slope, up, down)
			}
		}
	}
}

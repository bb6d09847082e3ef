package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/train/lineup"
	"parley/viewer/episodes"
)

// An answer is one that a model wrote.
type answer struct {
	Place
	asked *rollout.AgentTurn
	said  *rollout.Completion
	not   string // why nothing was learned from it; empty: something was
	episodes.Derived
}

const unlearned = "nothing was learned from this answer"

// A Place is where an answer stands in its episode.
type Place struct {
	Solo       bool `json:"solo,omitempty"`
	Node       int  `json:"node"`
	Agent      int  `json:"agent"`
	Completion int  `json:"completion"`
}

// answersOf are those of an episode that have tokens, and of what was played beside it without one of the agents.
func answersOf(e *rollout.Episode) (out []*answer) {
	add := func(e *rollout.Episode, solo bool) {
		for i, n := range e.Nodes {
			for k := range n.Agents {
				asked := &n.Agents[k]
				for c := range asked.Completions {
					said := &asked.Completions[c]
					if asked.Speaker == "" && len(said.Tokens) > 0 && len(asked.Prompt) > 0 {
						a := &answer{Place: Place{solo, i, asked.Agent, c}, asked: asked, said: said}
						if solo || !asked.Learns() || !learn.Learnable(said) || e.FailedSample(n.Sample) {
							a.not = unlearned
						}
						out = append(out, a)
					}
				}
			}
		}
	}
	add(e, false)
	if e.Solo != nil {
		add(e.Solo, true)
	}
	return out
}

// errRemote says that an engine has no distributions.
var errRemote = errors.New("the engine says no whole distributions")

// eachEngine calls do with the answers of each engine.
func eachEngine(l lineup.Lineup, all []*answer, do func(e engine.Engine, part []*answer) error) error {
	return learn.ByEngine(all, func(a *answer) engine.Engine { return l.BaseOf(a.asked.Agent).Engine }, do)
}

// score asks for the log-probabilities of answers, each as datum says.
func score(ctx context.Context, l lineup.Lineup, all []*answer, datum func(*answer) engine.Datum, put func(a *answer, logprobs []float32)) error {
	return learn.Forward(ctx, all, func(a *answer) engine.Engine { return l.BaseOf(a.asked.Agent).Engine }, datum,
		func(a *answer, out engine.Output) { put(a, out.Logprobs) })
}

// under is an answer as it was drawn, under a policy.
func (a *answer) under(p engine.Policy) engine.Datum { return learn.Datum(p, a.asked, a.said) }

// before fills in what the policies before the update and the base say about answers.
func before(ctx context.Context, l lineup.Lineup, all []*answer) error {
	err := score(ctx, l, all, func(a *answer) engine.Datum { return a.under(a.asked.Policy) }, func(a *answer, logprobs []float32) { a.Policy = logprobs })
	if err != nil {
		return fmt.Errorf("score answers under the policies before the update: %w", err)
	}
	err = score(ctx, l, all, func(a *answer) engine.Datum { return a.under(engine.Base) }, func(a *answer, logprobs []float32) { a.Reference = logprobs })
	if err != nil {
		return fmt.Errorf("score answers under the base: %w", err)
	}
	if err = eachEngine(l, all, func(e engine.Engine, part []*answer) error { return entropies(ctx, e, part) }); err != nil {
		return fmt.Errorf("distributions of tokens: %w", err)
	}
	return nil
}

// entropies fills in those of the distributions that the tokens of answers were drawn from.
func entropies(ctx context.Context, e engine.Engine, all []*answer) error {
	d, ok := engine.As[engine.Distributor](e)
	if !ok {
		return errRemote
	}
	prefixes, given := make([]engine.Prefix, len(all)), make([]map[int]bool, len(all))
	for i, a := range all {
		x := a.under(a.asked.Policy)
		prefixes[i] = engine.Prefix{Policy: x.Policy, Tokens: x.Tokens[:len(x.Tokens)-1], From: x.ScoreFrom, Sampling: engine.Sampling{Temperature: cmp.Or(x.Sampling.Temperature, 1)}, Mask: a.asked.Mask.Forced()}
		given[i] = map[int]bool{}
		for _, r := range x.Given {
			for at := r[0]; at < r[1]; at++ {
				given[i][at] = true
			}
		}
	}
	return d.Distributions(ctx, prefixes, 0, func(i, length int, d engine.Distribution) error {
		if a := all[i]; !given[i][length] { // the token at that index was drawn
			a.Entropy = append(a.Entropy, entropy(d.Logprobs, a.asked.Sampling, a.asked.Mask, len(a.Entropy)))
		}
		return nil
	})
}

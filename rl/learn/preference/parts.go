package preference

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// A part is what one agent wrote in joint responses of a batch of pairs, each text once. An empty text, of a full context, is no part, nor is a masked one.
type part struct {
	learn.Answer
	logprob float64 // log π of the whole text, the sum over its tokens, end token included
	base    float64 // the same under the base; 0 without a reference, which leaves Δ as it is
	weight  float64 // dLoss/dlogprob, added up over the pairs that it is part of
}

// parts scores the texts of trained agents in a batch of pairs, by their completions and in the order of their first pairs. They are scored
// under the policies that learn, whoever wrote them.
func (l *learner) parts(ctx context.Context, pairs []Pair) (map[*rollout.Completion]*part, []*part, error) {
	parts := map[*rollout.Completion]*part{}
	var order []*part
	var answers []*learn.Answer
	for _, p := range pairs {
		for s := range p.Node.Agents {
			asked := &p.Node.Agents[s]
			for _, action := range []int{p.Winner, p.Loser} {
				c := p.completion(s, action)
				if parts[c] != nil || !learn.Learnable(c) || l.Sharing.Policy(p.Node.Turn, asked.Agent) == engine.Base {
					continue
				}
				parts[c] = &part{Answer: learn.Answer{Turn: p.Node.Turn, AgentTurn: asked, Completion: c}}
				order = append(order, parts[c])
				answers = append(answers, &parts[c].Answer)
			}
		}
	}
	// One pass an engine: the two texts of an agent in a pair share their prompt.
	err := learn.Forward(ctx, order, func(p *part) engine.Engine { return l.EngineOf(p.AgentTurn.Agent) },
		func(p *part) engine.Datum { return p.Datum(l.trained(&p.Answer)) },
		func(p *part, out engine.Output) { p.logprob = sum(out.Logprobs) })
	if err != nil {
		return nil, nil, fmt.Errorf("score joint responses: %w", err)
	}
	if l.settings.Reference {
		if err := l.ReferenceLogprobs(ctx, answers); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range order {
		p.base = sum(p.Reference)
	}
	return parts, order, nil
}

// trained is the policy that learns from a text.
func (l *learner) trained(a *learn.Answer) engine.Policy {
	return l.Sharing.Policy(a.Turn, a.AgentTurn.Agent)
}

// sum is the log-probability of a whole text.
func sum(logprobs []float32) float64 {
	s := 0.0
	for _, x := range logprobs {
		s += float64(x)
	}
	return s
}

// steps counts one of every policy for each batch of pairs, those included that are replayed from earlier iterations. C candidates with C
// different rewards have C·(C−1)/2 pairs; beside a comparator, which writes half of them, C²/4.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	all := s.Candidates * (s.Candidates - 1) / 2
	if s.Comparator != "current" {
		all = s.Candidates * s.Candidates / 4
	}
	if s.Choose != "all" {
		all = min(all, s.Pairs)
	}
	total := 0
	for update := range o.Updates {
		replayed := map[string]int{"nearest": s.Nearest, "all": s.Iterations, "decay": s.Iterations}[s.Replay]
		pairs := o.Problems * all * (1 + min(s.Iteration(update, o.Updates), replayed))
		total += (pairs + s.Batch - 1) / s.Batch * o.Trained(false)
	}
	return total
}

package train

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/internal/seed"
	"parley/loss"
	"parley/rollout"
)

// madpo is the learner of MADPO (magrpo.md §5): pairs of joint responses, ordered by their reward, make every agent's part of the
// better one more probable, the more so the less the team as a whole prefers it.
type madpo struct {
	core
}

// credit implements [learner]: a completion's Reward is that of its joint action.
func (l *madpo) credit(_ context.Context, episodes []*rollout.Episode, _ *Metrics) error {
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				n.Agents[s].Assign(n.Rewards, make([]float64, len(n.Rewards)))
			}
		}
	}
	return nil
}

// learn implements [learner]: one pass over the pairs of the update and those that are replayed, in random batches.
func (l *madpo) learn(ctx context.Context, update int, episodes []*rollout.Episode, m *Metrics) error {
	pairs, err := l.pairs(update, episodes)
	if err != nil {
		return err
	}
	m.Pairs, m.PairSteps = len(pairs), 2*len(pairs)
	rng := seed.Stream(seed.Derive(uint64(l.recipe.Seed), "shuffle pairs", update))
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for len(pairs) > 0 {
		n := min(l.recipe.Preference.Batch, len(pairs))
		if err := l.batch(ctx, pairs[:n], update, m); err != nil {
			return err
		}
		pairs = pairs[n:]
	}
	return nil
}

// pairs are those of the update's episodes and of the same place in the iterations that are replayed.
func (l *madpo) pairs(update int, episodes []*rollout.Episode) ([]pair, error) {
	p, iteration := l.recipe.Preference, l.recipe.Iteration(update)
	out := l.choose(update, episodes, 1)
	for age := 1; age <= iteration; age++ {
		weight := 1.0
		switch {
		case p.Replay == "current", p.Replay == "nearest" && age > p.Nearest:
			continue
		case p.Replay == "decay":
			weight = math.Pow(p.Decay, float64(age))
		}
		past := update - age*l.recipe.Training.Updates/p.Iterations
		episodes, err := l.recall(past + 1)
		if err != nil {
			return nil, fmt.Errorf("replay update %d: %w", past+1, err)
		}
		out = append(out, l.choose(past, episodes, weight)...)
	}
	return out, nil
}

func (l *madpo) choose(update int, episodes []*rollout.Episode, weight float64) []pair {
	var out []pair
	for _, e := range episodes {
		if e.Failed() != "" {
			continue
		}
		rng := seed.Stream(seed.Derive(uint64(l.recipe.Seed), "pairs", update, e.Index))
		out = append(out, pairsOf(l.recipe.Preference, e.Nodes[0], l.recipe.Preference.Comparator != "current", weight, rng)...)
	}
	return out
}

// A part is what one agent wrote in joint responses of a batch of pairs, each text once.
type part struct {
	answer
	logprob float64 // of the whole text
	base    float64 // the same under the base
	weight  float64 // dLoss/dlogprob
}

// batch takes one optimizer step of every policy on a batch of pairs.
func (l *madpo) batch(ctx context.Context, pairs []pair, update int, m *Metrics) error {
	parts, order, err := l.parts(ctx, pairs)
	if err != nil {
		return err
	}
	total, right := 0.0, 0.0
	for _, p := range pairs {
		var agents []loss.JointPreference
		for s := range p.node.Agents {
			w, l := parts[p.completion(s, p.winner)], parts[p.completion(s, p.loser)]
			if w == nil || l == nil {
				continue // a frozen agent's part changes with nobody
			}
			agents = append(agents, loss.JointPreference{Winner: w.logprob, Loser: l.logprob, ReferenceWinner: w.base, ReferenceLoser: l.base})
		}
		value, grad := loss.MADPO(agents, l.recipe.Preference.Beta)
		share := p.weight / float64(len(pairs))
		total += share * value
		right += one(value < math.Ln2) / float64(len(pairs))
		for s := range p.node.Agents {
			if w, l := parts[p.completion(s, p.winner)], parts[p.completion(s, p.loser)]; w != nil && l != nil {
				w.weight += share * grad
				l.weight -= share * grad
			}
		}
	}
	m.passed(total, 1, 1)
	m.preferred(right)
	return l.descend(ctx, order, update, m)
}

// parts scores the texts of trained agents in a batch of pairs.
func (l *madpo) parts(ctx context.Context, pairs []pair) (map[*rollout.Completion]*part, []*part, error) {
	parts := map[*rollout.Completion]*part{}
	var order []*part
	var answers []*answer
	for _, p := range pairs {
		for s := range p.node.Agents {
			agentTurn := &p.node.Agents[s]
			for _, action := range []int{p.winner, p.loser} {
				c := p.completion(s, action)
				if parts[c] != nil || len(c.Tokens) == 0 || l.sharing.policy(p.node.Turn, agentTurn.Agent) == engine.Base {
					continue
				}
				parts[c] = &part{answer: answer{turn: p.node.Turn, agentTurn: agentTurn, completion: c}}
				order = append(order, parts[c])
				answers = append(answers, &parts[c].answer)
			}
		}
	}
	err := l.score(ctx, answers, l.trained, func(a *answer, out engine.Output) { parts[a.completion].logprob = total(out.Logprobs) })
	if err == nil && l.recipe.Preference.Reference {
		err = l.referenceLogprobs(ctx, answers)
	}
	for _, p := range order {
		p.base = total(p.reference)
	}
	return parts, order, err
}

// trained is a text as the policy that learns from it scores it.
func (l *madpo) trained(a *answer) engine.Datum {
	return datum(l.sharing.policy(a.turn, a.agentTurn.Agent), a.agentTurn, a.completion)
}

// descend trains every policy on its texts, and takes its step.
func (l *madpo) descend(ctx context.Context, parts []*part, update int, m *Metrics) error {
	data, weights := map[target][]engine.Datum{}, map[target][]float64{}
	var order []target
	for _, p := range parts {
		d := l.trained(&p.answer)
		to := target{l.actors[p.agentTurn.Agent].Engine, d.Policy}
		if data[to] == nil {
			order = append(order, to)
		}
		data[to], weights[to] = append(data[to], d), append(weights[to], p.weight)
	}
	lessons := make([]lesson, len(order))
	for i, to := range order {
		lessons[i] = lesson{to, data[to], loss.SequenceWeights(weights[to])}
	}
	if err := study(ctx, lessons); err != nil {
		return err
	}
	for _, to := range order {
		if err := l.step(ctx, to.engine, to.policy, update, l.recipe.Optimizer.LR, m); err != nil {
			return err
		}
	}
	return nil
}

func total(logprobs []float32) float64 { return sum(widen(logprobs)) }

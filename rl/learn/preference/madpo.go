package preference

import (
	"context"
	"fmt"
	"math"

	"parley/internal/seed"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// MADPO is the algorithm's entry in the register.
func MADPO() learn.Algorithm {
	return learn.Algorithm{
		Name: "madpo", About: "preferences between joint responses (magrpo.md 5)", Kind: learn.Preferences, Sections: []learn.Section{section()},
		TeamAlone:   "it prefers one joint response to another, and a pair has one order for all agents",
		Completions: func(settings []any) int { return learn.SettingsIn[Settings](settings).Candidates }, New: New, Steps: steps,
		RateFactor: 0.1, // the pairs of an update take one step a batch, all away from the same policy
	}
}

// A learner keeps nothing between updates: pairs that are replayed are chosen again from the run's episodes.
type learner struct {
	learn.Common
	settings Settings
}

// New returns a learner of MADPO. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s}, nil
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned: a completion's Reward is that of its joint action. Pairs are those of one node, at which all who are
// to learn speak.
func (l *learner) assign(_ context.Context, episodes []*rollout.Episode, stats *learn.Stats) error {
	for _, e := range episodes {
		if len(e.Nodes) != 1 {
			return fmt.Errorf("credit problem %s: joint responses of %d turns, expected one: pairs are compared within a turn", e.Problem.ID, len(e.Nodes))
		}
		n := e.Nodes[0]
		stats.Dropped += Dropped(l.settings, l.settings.Candidates, e)
		for s := range n.Agents {
			n.Agents[s].Assign(n.Rewards, make([]float64, len(n.Rewards)))
			for _, r := range n.Rewards {
				stats.AddReturn(n.Agents[s].Agent, r)
			}
		}
	}
	return nil
}

// train takes the steps: one pass over the pairs of the update and those that are replayed, in random batches. Log-probabilities
// are scored batch by batch: every batch sees the policies that the one before has left. A pair counts as two environment steps, one
// for each joint response.
func (l *learner) train(ctx context.Context, update int, episodes []*rollout.Episode, s *learn.Stats) error {
	pairs, err := l.pairs(update, episodes)
	if err != nil {
		return err
	}
	s.Pairs, s.PairSteps = len(pairs), 2*len(pairs)
	rng := seed.Stream(seed.Derive(uint64(l.Seed), "shuffle pairs", update))
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for len(pairs) > 0 {
		n := min(l.settings.Batch, len(pairs))
		if err := l.batch(ctx, pairs[:n], update, s); err != nil {
			return err
		}
		pairs = pairs[n:]
	}
	return nil
}

// pairs are those of the update's episodes and of the same place in the iterations that are replayed: the u-th update of an iteration with
// the u-th of each earlier one, weighted with decay^age where replay says so.
func (l *learner) pairs(update int, episodes []*rollout.Episode) ([]Pair, error) {
	p := l.settings
	out := l.choose(update, episodes, 1)
	for age := 1; age <= p.Iteration(update, l.Updates); age++ {
		weight := 1.0
		switch {
		case p.Replay == "current", p.Replay == "nearest" && age > p.Nearest:
			continue
		case p.Replay == "decay":
			weight = math.Pow(p.Decay, float64(age))
		}
		past := update - age*l.Updates/p.Iterations
		episodes, err := l.Recall(past + 1)
		if err != nil {
			return nil, fmt.Errorf("replay update %d: %w", past+1, err)
		}
		out = append(out, l.choose(past, episodes, weight)...)
	}
	return out, nil
}

// choose lists the pairs of an update's episodes, with a weight. The random stream of a problem is that of its update, so that a replay
// chooses the pairs that were learned from then.
func (l *learner) choose(update int, episodes []*rollout.Episode, weight float64) []Pair {
	var out []Pair
	for _, e := range episodes {
		if e.Failed() != "" {
			continue
		}
		rng := seed.Stream(seed.Derive(uint64(l.Seed), "pairs", update, e.Index))
		out = append(out, PairsOf(l.settings, e.Nodes[0], l.Reward.Width, weight, rng)...)
	}
	return out
}

// batch takes one optimizer step of every policy on a batch of pairs: the first pass scores every text, which says what it weighs,
// dLoss/dlog π; the second trains with these weights.
func (l *learner) batch(ctx context.Context, pairs []Pair, update int, s *learn.Stats) error {
	parts, order, err := l.parts(ctx, pairs)
	if err != nil {
		return err
	}
	total, right := 0.0, 0.0
	for _, p := range pairs {
		value, preferred := l.compare(p, parts, p.Weight/float64(len(pairs)))
		total += value
		if preferred {
			right += 1 / float64(len(pairs))
		}
	}
	s.AddPass(total, 1, 1)
	s.AddPreferred(right)
	return l.descend(ctx, order, update, s)
}

// compare computes the loss of a pair and its slopes. It adds what a pair weighs in the gradients of its parts, with a share of the batch's loss. It returns the pair's part of the loss,
// and whether the team as a whole prefers the better response already.
func (l *learner) compare(p Pair, parts map[*rollout.Completion]*part, share float64) (value float64, preferred bool) {
	winners, losers := p.parts(parts)
	agents := make([]loss.JointPreference, len(winners))
	for i, w := range winners {
		agents[i] = loss.JointPreference{Winner: w.logprob, Loser: losers[i].logprob, ReferenceWinner: w.base, ReferenceLoser: losers[i].base}
	}
	joint, grad := loss.MADPO(agents, l.settings.Beta)
	// One slope for all: −β·σ(−β·Σ_j Δ_j) by every agent's log-probability of the winner, its negative by that of the loser.
	if l.settings.Loss == "madpo" {
		for i, w := range winners {
			w.weight += share * grad
			losers[i].weight -= share * grad
		}
		return share * joint, joint < math.Ln2
	}
	for i, w := range winners {
		own, up, down := l.alone(w, losers[i], agents[i])
		value += share * own / float64(len(winners))
		w.weight += share * up
		losers[i].weight += share * down
	}
	return value, joint < math.Ln2
}

// alone is the loss of one agent that compares its own texts, and its derivatives by their log-probabilities. IPO's Δ is one of means over
// tokens, m = log π(text)/n, so a text of n tokens has the derivative by m divided by n.
func (l *learner) alone(w, lost *part, p loss.JointPreference) (value, up, down float64) {
	if l.settings.Loss == "dpo" {
		value, up = loss.DPO(p, l.settings.Beta, l.settings.Smoothing)
		return value, up, -up
	}
	wins, loses := float64(len(w.Completion.Tokens)), float64(len(lost.Completion.Tokens))
	p = loss.JointPreference{Winner: p.Winner / wins, Loser: p.Loser / loses, ReferenceWinner: p.ReferenceWinner / wins, ReferenceLoser: p.ReferenceLoser / loses}
	value, grad := loss.IPO(p, l.settings.Beta)
	return value, grad / wins, -grad / loses
}

// descend trains every policy on its texts, and takes its step: the loss Σ_i weight_i·log π(text i) has the gradients of the batch's loss.
func (l *learner) descend(ctx context.Context, parts []*part, update int, s *learn.Stats) error {
	policies := learn.ByPolicy(parts, func(p *part) learn.PolicyRef {
		return learn.PolicyRef{Engine: l.EngineOf(p.AgentTurn.Agent), Policy: l.trained(&p.Answer)}
	})
	batches := make([]learn.PolicyBatch, len(policies))
	for i, of := range policies {
		var weights []float64
		batches[i].To = of.To
		for _, p := range of.Samples {
			weights = append(weights, p.weight)
			batches[i].Add(p.Datum(of.To.Policy), p.AgentTurn.Agent)
		}
		batches[i].Loss = loss.SequenceWeights(weights)
	}
	if err := l.Accumulate(ctx, batches, s); err != nil {
		return err
	}
	for _, b := range batches {
		if err := l.Step(ctx, b.To, update, l.Optimizer.LR, s); err != nil {
			return err
		}
	}
	return nil
}

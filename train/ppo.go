package train

import (
	"context"
	"slices"

	"parley/credit"
	"parley/engine"
	"parley/loss"
	"parley/reward"
	"parley/rollout"
)

// ppo is the learner of MAPoRL (maporl.md §2, §4): one answer is one episode of tokens, turns interact through the reward
// alone, and every policy has a value adapter of its own.
type ppo struct {
	core
	scheme    reward.Scheme
	kl        credit.KL
	terminal  credit.Terminal
	gae       credit.GAE
	objective loss.ValueObjective
	schedule  loss.TurnSchedule

	answers []*answer // credited, waiting to be learned from
}

func newPPO(c core) (*ppo, error) {
	r, p := c.recipe.Reward, c.recipe.PPO
	l := &ppo{core: c,
		scheme: reward.Scheme{Design: reward.Design(r.Design), Gamma: r.Gamma, Penalty: r.Penalties.Size, PenaltyScope: reward.Scope(r.Penalties.Scope),
			Incentives:    reward.Coefficients{Alpha0: r.Incentives.Alpha0, Alpha1: r.Incentives.Alpha1, Beta0: r.Incentives.Beta0, Beta1: r.Incentives.Beta1},
			IncentiveRule: reward.IncentiveRule(r.Incentives.Rule)},
		kl:        credit.KL(p.KLForm),
		terminal:  credit.Terminal(p.Terminal),
		gae:       credit.GAE{Gamma: p.GammaToken, Lambda: p.Lambda},
		objective: loss.ValueObjective{Weight: p.ValueCoef, Half: p.ValueHalf, Clip: p.ValueClip > 0, Range: p.ValueClip},
		schedule:  loss.TurnSchedule{Kind: loss.TurnKind(p.Schedule), Turns: c.turns, First: c.recipe.Policies.FirstTrainedTurn, Initial: 20, Block: 40},
	}
	if err := l.scheme.Check(); err != nil {
		return nil, err
	}
	return l, l.schedule.Check()
}

// credit implements [learner]: every answer gets the reward of its scheme, and the answers of trained policies get
// advantages and returns for every token.
func (l *ppo) credit(ctx context.Context, episodes []*rollout.Episode, m *Metrics) error {
	for _, e := range episodes {
		if err := l.reward(e); err != nil {
			return err
		}
	}
	trained := l.schedule.Trained(m.Update - 1)
	l.answers = slices.DeleteFunc(answersIn(episodes), func(a *answer) bool { return !slices.Contains(trained, a.turn+1) })
	if err := l.divergences(ctx); err != nil {
		return err
	}
	if err := l.values(ctx, episodes); err != nil {
		return err
	}
	l.advantages(m)
	return nil
}

// reward gives every answer of one debate its reward (maporl.md §2).
func (l *ppo) reward(e *rollout.Episode) error {
	var scores [][]float64
	var flagged, right [][]bool
	for t, n := range e.Nodes {
		scores, flagged, right = append(scores, nil), append(flagged, nil), append(right, nil)
		for s := range n.Agents {
			c := &n.Agents[s].Completions[0]
			scores[t] = append(scores[t], l.verified(c, n, t == len(e.Nodes)-1))
			flagged[t] = append(flagged[t], len(c.Flags) > 0)
			right[t] = append(right[t], c.Correct)
		}
	}
	if l.recipe.Reward.Incentives.By == "verifier" {
		right = reward.CorrectByVerifier(scores)
	}
	for t, turn := range l.scheme.Rewards(scores, flagged, right) {
		for s, r := range turn {
			if err := finite(e.Problem, "the reward", r); err != nil {
				return err
			}
			e.Nodes[t].Agents[s].Completions[0].Reward = r
		}
	}
	return nil
}

// verified is the verifier's score of an answer. Without a verifier only the last turn has a signal (maporl.md §2.4).
func (l *ppo) verified(c *rollout.Completion, n *rollout.Node, last bool) float64 {
	switch l.recipe.Reward.Source {
	case "final-label":
		if !last {
			return 0
		}
	case "joint", "user":
		return n.Rewards[0]
	}
	return c.Score
}

// values asks the critics for the values of the states before each token. A critic reads the question and the answer alone
// (the first prompt of the agent), or the whole dialogue (maporl.md §4, Remark 4).
func (l *ppo) values(ctx context.Context, episodes []*rollout.Episode) error {
	first := map[*rollout.AgentTurn]*rollout.AgentTurn{} // what the agent was asked in turn 1 of the same debate
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				first[&n.Agents[s]] = &e.Nodes[0].Agents[s]
			}
		}
	}
	for _, a := range l.answers {
		a.reads = a.agentTurn
		if l.recipe.PPO.ValueInput == "answer" {
			a.reads = first[a.agentTurn]
		}
	}
	return l.score(ctx, l.answers, l.valueDatum, func(a *answer, out engine.Output) { a.values = out.Values })
}

func (l *ppo) valueDatum(a *answer) engine.Datum {
	reads, context := *a.reads, l.actors[a.agentTurn.Agent].Context
	if over := len(reads.Prompt) + len(a.completion.Tokens) - context; context > 0 && over > 0 {
		reads.Prompt = reads.Prompt[over:] // the answer was given to a shorter prompt
	}
	d := datum(l.sharing.value(a.turn, a.agentTurn.Agent), &reads, a.completion)
	d.Sampling = engine.Sampling{}
	d.ValuesOnly = true
	return d
}

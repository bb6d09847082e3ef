package group

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/internal/tie"
	"parley/rl/credit"
	"parley/rl/credit/workflow"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// said is what was said in the episodes of one problem: [episode][message], each with its completion. An episode that failed has nil.
type said struct {
	of          *rollout.Episode
	messages    [][]workflow.Message
	completions [][]*rollout.Completion
	earned      [][]float64 // the undiscounted total of every agent, by episode
	unlearned   []returned  // of agents that are no models
	opponents   []int       // in each episode, the agent whose part an earlier checkpoint plays; -1: none
}

// returned is a message with its completion.
type returned struct {
	workflow.Message
	completion *rollout.Completion
}

// creditEpisodes fills in credits and advantages where a problem has several whole episodes: a message's credit is its return, and it is compared
// as section credit says (package workflow). Episodes that could not be scored take no part, unless they are kept. By default
//
//	R_t = r_t + γ·R_t+1                    of the messages of turn t, and of an agent with weights of its own by its own rewards
//	S_i = mean over the messages of episode i of their R
//	A   = R − mean(S)                      magrpo; the other algorithms compare with what they compare a group with
//
// An agent that is silent in an episode, or whose part an opponent plays, has no term there. With one message an episode this is the credit of a tree of one turn, to the bit.
func (l *learner) creditEpisodes(ctx context.Context, episodes []*rollout.Episode, kl map[*rollout.Completion]float64, stats *learn.Stats) error {
	rule := l.returnRule(episodes)
	problems, rates := make([]said, len(episodes)), new(credit.Rates)
	for i, e := range episodes {
		problems[i] = l.said(e, rule)
		if err := l.compareSolo(problems[i], rates); err != nil {
			return fmt.Errorf("credit problem %s: %w", e.Problem.ID, err)
		}
		l.earn(problems[i], kl, stats)
	}
	addRates(rates, stats)
	l.countZeroSum(problems, stats)
	if err := l.compareMessages(problems, stats); err != nil {
		return err
	}
	return l.addInfluence(ctx, problems, stats)
}

// compareMessages fills in the advantages of what returns, by the rule of the baseline.
func (l *learner) compareMessages(problems []said, stats *learn.Stats) error {
	switch {
	case l.credit.Baseline == "rae":
		return l.compareWithPast(problems, stats)
	case l.credit.Baseline == "vote":
		return l.compareVotes(problems)
	case l.credit.Calls != "each":
		l.compareCalls(problems)
		return nil
	case l.credit.Plain():
		for _, p := range problems {
			if err := l.compareScores(p); err != nil {
				return fmt.Errorf("credit problem %s: %w", p.of.Problem.ID, err)
			}
		}
		return nil
	}
	return l.compare(problems)
}

// said lists the messages of a problem's episodes with what they returned.
func (l *learner) said(e *rollout.Episode, rule workflow.Options) said {
	p := said{of: e}
	for sample := range e.Samples() {
		var steps []workflow.Step
		var all, completions []*rollout.Completion
		opponent, others := -1, map[int]bool{} // agents from whom nothing is learned
		for _, n := range e.Nodes {
			if n.Sample != sample {
				continue
			}
			steps = append(steps, l.steps(n)...)
			for s := range n.Agents {
				all = append(all, &n.Agents[s].Completions[0])
				if n.Agents[s].Opponent != "" {
					opponent = n.Agents[s].Agent
				}
				if !countsIn(&n.Agents[s]) {
					others[n.Agents[s].Agent] = true
					continue
				}
				completions = append(completions, &n.Agents[s].Completions[0])
			}
		}
		credited := rule.Credit(workflow.Episode{Steps: steps, Failed: e.FailedSample(sample)})
		if !credited.Kept {
			completions = nil
		}
		// Credit is given to all messages, because what is paid later counts for those before it, whoever speaks; then others' are taken out.
		for i, m := range credited.Messages {
			if others[m.Agent] && m.Agent != opponent {
				p.unlearned = append(p.unlearned, returned{m, all[i]})
			}
		}
		learned := slices.DeleteFunc(credited.Messages, func(m workflow.Message) bool { return others[m.Agent] })
		p.messages, p.completions, p.earned = append(p.messages, learned), append(p.completions, completions), append(p.earned, credited.Totals)
		p.opponents = append(p.opponents, opponent)
	}
	return p
}

// countsIn says that what was said is learned from, and that others are compared with it: neither an earlier checkpoint said it nor an agent that is
// no model.
func countsIn(a *rollout.AgentTurn) bool { return a.Opponent == "" && a.Speaker == "" }

// returnRule says what messages return: r_iu = w_team·r_team,u + w_own·r_own,iu + w_others·Σ r_own,ju, discounted by what the clock counts. The roster is the whole team:
// an agent that is silent has earned something all the same, which its role's average wants to know.
func (l *learner) returnRule(episodes []*rollout.Episode) workflow.Options {
	agents := len(l.Actors)
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				agents = max(agents, a.Agent+1)
			}
		}
	}
	o := workflow.Options{
		Gamma: l.settings.Gamma(), Clock: workflow.Clock(l.credit.Clock), Returns: l.credit.Returns, Keep: l.credit.Failed == "keep", FailReward: l.credit.FailReward,
	}
	for agent := range agents {
		w := l.WeightsOf(agent)
		if l.credit.TeamWeight != nil {
			w.Team = *l.credit.TeamWeight
		}
		if l.credit.OwnWeight != nil {
			w.Own = *l.credit.OwnWeight
		}
		o.Weights = append(o.Weights, workflow.Weights(w))
	}
	return o
}

// steps are the ask of a node and, where the clock counts them, the steps of the environment behind it with what each paid. The node's reward is that
// of the ask and of all these steps together:
//
//	r_node = r_ask + Σ r_step             clock ask: one reward;  clock step: r_ask = r_node − Σ r_step, and each r_step a tick later
func (l *learner) steps(n *rollout.Node) []workflow.Step {
	ask := workflow.Step{Unscored: n.Rewards == nil}
	for _, a := range n.Agents {
		ask.Says = append(ask.Says, a.Agent)
	}
	if n.Rewards != nil {
		ask.Team = n.Rewards[0]
	}
	if n.Own != nil {
		ask.Own = slices.Clone(n.Own[0])
	}
	steps := []workflow.Step{ask}
	if l.credit.Clock != string(workflow.ClockStep) || n.Outcomes == nil {
		return steps
	}
	for _, o := range n.Outcomes[0] {
		step := workflow.Step{Team: o.Team, Own: make([]float64, len(ask.Own))}
		steps[0].Team -= o.Team
		for i := range step.Own {
			step.Own[i] = o.Agents[l.Actors[i].Name]
			steps[0].Own[i] -= step.Own[i]
		}
		steps = append(steps, step)
	}
	return steps
}

// earn makes returns the rewards of completions, less their penalty for the distance from the base, and masks what is cut where credit says so.
func (l *learner) earn(p said, kl map[*rollout.Completion]float64, stats *learn.Stats) {
	// What agents return who are no models is recorded as that of others is: nothing is learned from it, and nothing is taken off it.
	for _, m := range p.unlearned {
		m.completion.Reward = m.Return
		l.addReturn(stats, m.Agent, m.Return, m.Return)
	}
	next := make([]int, len(p.messages)) // message of every episode
	for _, n := range p.of.Nodes {
		for s := range n.Agents {
			if !countsIn(&n.Agents[s]) {
				continue
			}
			k := next[n.Sample]
			next[n.Sample]++
			if k >= len(p.messages[n.Sample]) {
				continue // the episode failed
			}
			m, c := &p.messages[n.Sample][k], p.completions[n.Sample][k]
			plain := m.Return
			c.Reward = loss.PenalisedReturn(plain, kl[c], l.KLOf(n.Agents[s].Policy, l.settings.KL))
			l.addReturn(stats, m.Agent, plain, c.Reward)
			m.Return = c.Reward
			if l.credit.Truncated != "auto" && c.Stop == engine.StopLength {
				c.Masked = l.credit.Truncated == "mask"
			}
		}
	}
}

// leveled are the returns of the messages of a problem, with those made equal that differ by rounding.
func (l *learner) leveled(p said) [][]float64 {
	var flat []float64
	for _, messages := range p.messages {
		for _, m := range messages {
			flat = append(flat, m.Return)
		}
	}
	flat = tie.Levels(flat, l.Reward.Width)
	out := make([][]float64, len(p.messages))
	for i, messages := range p.messages {
		n := len(messages)
		out[i], flat = flat[:n:n], flat[n:]
	}
	return out
}

// alike says that nothing in the episodes of a problem was better than anything else: all messages returned the same, to the bit, or the same agents
// spoke in the same order in all episodes, and each message returned what its like in the others did. Messages at different places of an episode may
// return different amounts, because of a discount, or because a world pays every move.
func alike(p said, returns [][]float64) bool {
	// equal: every return is that of the first message. like: every episode is the first one again, place by place. Returns are compared to the
	// bit: they come from the same sums in the same order.
	first, equal, like := -1, true, true
	for e, messages := range p.messages {
		if len(messages) == 0 {
			continue
		}
		if first < 0 {
			first = e
		}
		equal = equal && !slices.ContainsFunc(returns[e], func(r float64) bool { return r != returns[first][0] })
		like = like && slices.Equal(returns[e], returns[first]) &&
			slices.EqualFunc(messages, p.messages[first], func(a, b workflow.Message) bool { return a.Agent == b.Agent })
	}
	return equal || like
}

// compareScores compares the messages of a problem with the scores of its episodes, as the algorithm compares a group.
func (l *learner) compareScores(p said) error {
	earned := l.leveled(p)
	scored := slices.DeleteFunc(slices.Clone(earned), func(r []float64) bool { return len(r) == 0 })
	if len(scored) == 0 || len(scored) == 1 && l.mode == credit.ModeRLOO {
		return nil // the others failed, or only opponents spoke: it is compared with none
	}
	if l.mode != credit.ModeRaw && alike(p, earned) {
		return nil
	}
	advantages, err := credit.EpisodeAdvantages(earned, l.mode, l.settings.Normalize)
	if err != nil {
		return err
	}
	p.assign(advantages)
	return nil
}

// compare compares the messages of all problems in the groups of the baseline: A = (R − b)/σ, with b the mean of the group's values, without the
// message's own or its episode's where wanted. All problems come at once, because a group may be the whole batch.
func (l *learner) compare(problems []said) error {
	rule := l.credit.Comparison()
	all, nothing := make([][][]workflow.Message, len(problems)), make([]bool, len(problems))
	for i, p := range problems {
		leveled := l.leveled(p)
		// A rule that compares over the whole batch, or that leaves returns as they are, moves on equal returns by its own definition.
		nothing[i] = !rule.Batch && !rule.Raw && alike(p, leveled)
		for e := range p.messages {
			for k := range p.messages[e] {
				p.messages[e][k].Return = leveled[e][k]
			}
		}
		all[i] = p.messages
	}
	advantages, _, err := rule.Advantages(all)
	if err != nil {
		return err
	}
	for i, p := range problems {
		if !nothing[i] { // else advantages stay exactly 0: those by rounding, such as 1e-16, make a full step of AdamW
			p.assign(advantages[i])
		}
	}
	return nil
}

func (p said) assign(advantages [][]float64) {
	for i := range p.completions {
		for k, c := range p.completions[i] {
			c.Advantage = advantages[i][k]
		}
	}
}

package group

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// A moved is a message with how much more probable others became by it, in logarithms:
//
//	influence   log p(next step) − log p(next step without the message)
//	restart     log p(final answer) − log p(final answer, with what the message dropped)
//
// A step is all that was said in one turn: several agents add up. The first term of each is what was recorded when the tokens were drawn; the second
// is scored by the policy that said them, before it takes its next step. nil: there is no such step, or the team would have gone on in another way.
type moved struct{ influence, restart *float64 }

// seat names a message of a problem: who spoke at which node.
type seat struct{ node, agent int }

// addInfluence adds to every advantage what the message did to those behind it (Dr. MAMR, arXiv 2511.02303):
//
//	A += α·C̃ + β·R̃
//
// C is the mean influence of the messages alike: of the same agent to the same problem, whose counts of tokens have a cosine of at least a threshold.
// R is the sign of what a restart did to the final answer where the team was right, else its negative. Both are standardized: C over the agent's
// messages to the problem, R over all restarts of the problem.
func (l *learner) addInfluence(ctx context.Context, problems []said, s *learn.Stats) error {
	o := l.credit.Influence
	if !o.Asked() {
		return nil
	}
	moves, err := l.moves(ctx, problems)
	if err != nil {
		return fmt.Errorf("score messages without those before them: %w", err)
	}
	rule := credit.InfluenceRule{Alpha: o.Alpha, Beta: o.Beta, Eps: o.Eps, Threshold: o.Alike, RawRestarts: o.RestartNorm == "none"}
	for i, p := range problems {
		steps := p.steps(moves[i], l.Actors)
		credited := rule.Credit(steps)
		for e, completions := range p.completions {
			for k, c := range completions {
				c.Advantage += credited[e][k].Advantage
			}
		}
		addMoves(steps, credited, s)
	}
	return nil
}

// steps are the messages of the problem as [credit.InfluenceRule] wants them. Their outcomes are left out: the baseline has compared them.
func (p said) steps(moves map[seat]moved, actors []rollout.Actor) []credit.InfluenceEpisode {
	out := make([]credit.InfluenceEpisode, len(p.completions))
	p.of.Outcomes(func(sample int, reward float64, ok bool) { out[sample].Right = ok && reward > 0 })
	// Two messages point the same way where cos = Σ_w n_w·n'_w / (‖n‖·‖n'‖) is great, n_w the count of token w: where they say the same, in any order.
	words := map[int]int{} // place of a token in the vectors
	p.each(func(_ seat, _, _ int, c *rollout.Completion) {
		for _, token := range c.Tokens {
			if _, known := words[token]; !known {
				words[token] = len(words)
			}
		}
	})
	p.each(func(at seat, e, k int, c *rollout.Completion) {
		m, vector := moves[at], make([]float64, len(words))
		for _, token := range c.Tokens {
			vector[words[token]]++
		}
		agent := p.messages[e][k].Agent
		out[e].Steps = append(out[e].Steps, credit.InfluenceStep{Agent: actors[agent].Name, Tokens: len(c.Tokens), Influence: m.influence, Vector: vector, Restart: m.restart})
	})
	return out
}

// each visits the messages that are learned from, with their places among those of their episodes.
func (p said) each(visit func(at seat, episode, message int, c *rollout.Completion)) {
	next := make([]int, len(p.completions))
	for i, n := range p.of.Nodes {
		for s := range n.Agents {
			if k := next[n.Sample]; countsIn(&n.Agents[s]) {
				if next[n.Sample]++; k < len(p.completions[n.Sample]) { // else the episode failed
					visit(seat{i, s}, n.Sample, k, p.completions[n.Sample][k])
				}
			}
		}
	}
}

// An asked is a message under the prompt that it would have had.
type asked struct {
	problem int
	of      seat // what the prompt does without
	kept    bool
	policy  engine.Policy
	agent   int
	turn    *rollout.AgentTurn // with that prompt
	said    *rollout.Completion
	other   float64 // log-probability under it
}

// moves sums over the messages of a step, for each prompt without another message m,
//
//	Δℓ_m = Σ_i log p(x_i | prompt_i) − log p(x_i | prompt_i without m)
//
// It is [problem]. A prompt that is the same needs no scoring: nothing has moved.
func (l *learner) moves(ctx context.Context, problems []said) ([]map[seat]moved, error) {
	var all []*asked
	for i, p := range problems {
		for _, n := range p.of.Nodes {
			for s := range n.Agents {
				a := &n.Agents[s]
				for _, c := range a.Counterfactuals {
					x := &asked{problem: i, of: seat{c.Node, c.Agent}, kept: c.Kept, policy: a.Policy, agent: a.Agent, said: &a.Completions[0], other: a.Completions[0].Logprob()}
					if len(c.Prompt) > 0 {
						other := *a
						other.Prompt, x.turn = c.Prompt, &other
					}
					all = append(all, x)
				}
			}
		}
	}
	var scored []*asked
	for _, x := range all {
		if x.turn != nil && len(x.said.Tokens) > 0 {
			scored = append(scored, x)
		}
	}
	err := learn.Forward(ctx, scored, func(x *asked) engine.Engine { return l.EngineOf(x.agent) },
		func(x *asked) engine.Datum { return learn.Datum(x.policy, x.turn, x.said) },
		func(x *asked, out engine.Output) { x.other = (&rollout.Completion{Logprobs: out.Logprobs}).Logprob() })
	out := make([]map[seat]moved, len(problems))
	for i := range out {
		out[i] = map[seat]moved{}
	}
	for _, x := range all {
		m := out[x.problem][x.of]
		into := &m.influence
		if x.kept {
			into = &m.restart
		}
		if *into == nil {
			*into = new(float64)
		}
		**into += x.said.Logprob() - x.other
		out[x.problem][x.of] = m
	}
	return out, err
}

// addMoves records how far messages moved the next steps, and how many restarts there were with what they earned.
func addMoves(episodes []credit.InfluenceEpisode, credited [][]credit.Influenced, s *learn.Stats) {
	for e, episode := range episodes {
		for k, step := range episode.Steps {
			if step.Influence != nil {
				s.AddInfluence(*step.Influence)
			}
			if reward := credited[e][k].Restart; reward != nil {
				s.AddRestart(*reward)
			}
		}
	}
}

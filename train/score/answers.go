package score

import (
	"slices"

	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/task"
)

// readNode fills in the verdicts on all completions of a node.
func (s *Scorer) readNode(t rollout.ScoreItem) {
	for a := range t.Node.Agents {
		agentTurn := &t.Node.Agents[a]
		for i := range agentTurn.Completions {
			s.read(t.Problem, &agentTurn.Completions[i])
			if agentTurn.Speaker == "" { // penalties are about what is learned
				s.flag(t.Node.Turn, agentTurn.Agent, &agentTurn.Completions[i])
			}
		}
	}
}

// read fills in the verdict on one completion by itself.
func (s *Scorer) read(p task.Problem, c *rollout.Completion) {
	if s.answerer == nil {
		return
	}
	c.Answer, c.HasAnswer = task.AnswerTo(s.answerer, p, c.Text)
	c.Correct = c.HasAnswer && c.Answer == p.Right()
	c.Score = one(c.Correct)
}

// flag fills in the reasons for penalties of a completion that a policy wrote.
func (s *Scorer) flag(turn, agent int, c *rollout.Completion) {
	if s.answerer == nil {
		return
	}
	codec := s.codecs[agent]
	for _, f := range s.rules(turn).Flags(reward.Completion{Text: c.Text, Tokens: beforeEnd(c.Said(codec.Stop()), codec.Stop()), Decode: codec.Text}) {
		c.Flags = append(c.Flags, string(f))
	}
}

// rules are the penalties of maporl.md §2.1; an answer of an untrained first turn needs no box.
func (s *Scorer) rules(turn int) reward.FlagRules {
	p := s.recipe.Reward.Penalties
	rules := reward.FlagRules{Box: p.NoBox, MinTokens: p.MinTokens, AfterBox: p.AfterBox}
	if turn == 0 && s.recipe.Policies.FirstTrainedTurn > 1 {
		rules.Box = false
	}
	if p.Repeats > 0 {
		rules.Repetition = reward.Repetition{MinLen: p.RepeatMin, MaxLen: p.RepeatMax, MaxRepeats: p.Repeats}
	}
	return rules
}

// beforeEnd returns the tokens before the first end token.
func beforeEnd(tokens, stop []int) []int {
	for i, t := range tokens {
		if slices.Contains(stop, t) {
			return tokens[:i]
		}
	}
	return tokens
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

package score

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/team"
)

// replyTokens are enough for a yes or a no.
const replyTokens = 8

// flagUnreasoned flags the training answers in which their own base, without adapters, finds no reasoning (maporl.md §2.1): one
// greedy batch a turn and base. An answer too long to be asked about is not flagged.
func (s *Scorer) flagUnreasoned(ctx context.Context, turn []rollout.ScoreItem) error {
	if len(s.untrained) == 0 || s.inference {
		return nil
	}
	questions := map[engine.Engine][]engine.SampleRequest{}
	about := map[engine.Engine][]*rollout.Completion{}
	codecs := map[engine.Engine]rollout.Codec{}
	for _, t := range turn {
		for a := range t.Node.Agents {
			agentTurn := &t.Node.Agents[a]
			if agentTurn.Speaker != "" {
				continue // penalties are about what is learned
			}
			actor := s.untrained[agentTurn.Agent]
			for i := range agentTurn.Completions {
				q, err := reasoningQuestion(actor, agentTurn.Completions[i].Text)
				if err != nil {
					return fmt.Errorf("problem %s: ask for reasoning: %w", t.Problem.ID, err)
				}
				if len(q.Prompt)+replyTokens > actor.Context {
					continue
				}
				codecs[actor.Engine] = actor.Codec
				questions[actor.Engine] = append(questions[actor.Engine], q)
				about[actor.Engine] = append(about[actor.Engine], &agentTurn.Completions[i])
			}
		}
	}
	for e, q := range questions {
		if err := flagNoes(ctx, e, codecs[e], q, about[e]); err != nil {
			return err
		}
	}
	return nil
}

func reasoningQuestion(actor rollout.Actor, answer string) (engine.SampleRequest, error) {
	prompt, err := actor.Codec.Prompt([]team.Message{{Role: team.User, Content: reward.ReasoningQuestion(answer)}})
	return engine.SampleRequest{Policy: engine.Base, Prompt: prompt, MaxTokens: replyTokens, Stop: actor.Codec.Stop(), Never: actor.Never}, err
}

// flagNoes asks an engine and flags what it says no to.
func flagNoes(ctx context.Context, e engine.Engine, codec rollout.Codec, questions []engine.SampleRequest, about []*rollout.Completion) error {
	replies, err := e.Sample(ctx, questions)
	if err != nil {
		return fmt.Errorf("ask for reasoning: %w", err)
	}
	for i, r := range replies {
		if reward.FoundNoReasoning(codec.Text(r.Tokens)) {
			about[i].Flags = append(about[i].Flags, string(reward.NoReasoning))
		}
	}
	return nil
}

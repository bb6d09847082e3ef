package train

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/reward"
	"parley/rollout"
	"parley/team"
)

// replyTokens are enough for a yes or a no.
const replyTokens = 8

// flagUnreasoned flags the training answers in which their own base, without adapters, finds no reasoning (maporl.md §2.1): one
// greedy batch a turn and base. An answer too long to be asked about is not flagged.
func (j *judge) flagUnreasoned(ctx context.Context, turn []rollout.Judged) error {
	if len(j.seats) == 0 || j.inference {
		return nil
	}
	questions := map[engine.Engine][]engine.SampleRequest{}
	about := map[engine.Engine][]*rollout.Completion{}
	codecs := map[engine.Engine]rollout.Codec{}
	for _, t := range turn {
		for s := range t.Node.Seats {
			said := &t.Node.Seats[s]
			seat := j.seats[said.Agent]
			for i := range said.Completions {
				q, err := reasoningQuestion(seat, said.Completions[i].Text)
				if err != nil {
					return fmt.Errorf("problem %s: ask for reasoning: %w", t.Problem.ID, err)
				}
				if len(q.Prompt)+replyTokens > seat.Context {
					continue
				}
				codecs[seat.Engine] = seat.Codec
				questions[seat.Engine] = append(questions[seat.Engine], q)
				about[seat.Engine] = append(about[seat.Engine], &said.Completions[i])
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

func reasoningQuestion(seat rollout.Seat, answer string) (engine.SampleRequest, error) {
	prompt, err := seat.Codec.Prompt([]team.Message{{Role: team.User, Content: reward.ReasoningQuestion(answer)}})
	return engine.SampleRequest{Policy: engine.Base, Prompt: prompt, MaxTokens: replyTokens, Stop: seat.Codec.Stop()}, err
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

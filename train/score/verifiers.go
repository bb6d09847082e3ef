package score

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"parley/engine"
	"parley/engine/openai"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/rl/verifier"
	"parley/task/answer"
	"parley/train/plan"
)

// A pending answer is one that waits for its score.
type pending struct {
	node       *rollout.Node
	completion *rollout.Completion
	answer     verifier.Answer
}

// scoreAnswers asks the verifiers about all answers of a turn, one batch a verifier. A node with an answer without a score has failed.
func (s *Scorer) scoreAnswers(ctx context.Context, turn []rollout.ScoreItem) error {
	if len(s.verifiers) == 0 || len(turn) == 0 || s.inference && !s.showsScores(turn[0].Node.Turn) {
		return nil
	}
	waiting := map[Verifier][]pending{}
	for _, t := range turn {
		for a := range t.Node.Agents {
			agentTurn := &t.Node.Agents[a]
			by := s.verifiers[agentTurn.Agent]
			for i := range agentTurn.Completions {
				c := &agentTurn.Completions[i]
				waiting[by] = append(waiting[by], pending{t.Node, c, verifier.Answer{Problem: t.Problem, Shown: s.judged(c)}})
			}
		}
	}
	for _, by := range distinct(s.verifiers) {
		if err := scoreAll(ctx, by, waiting[by]); err != nil {
			return err
		}
	}
	return nil
}

// judged is what a verifier reads of an answer: a trained one the form that it was trained on, a program or a server what was written.
func (s *Scorer) judged(c *rollout.Completion) string {
	if s.recipe.Reward.Source == "trained" && s.recipe.Team.NormalizeVisible {
		return string(answer.Show(c.Text, c.Answer))
	}
	return c.Text
}

// showsScores reports whether prompts of turns after this one quote its scores.
func (s *Scorer) showsScores(turn int) bool {
	return s.recipe.Team.RewardFeedback && turn+1 < s.recipe.Team.Turns
}

// scoreAll asks one verifier about the answers that wait for it. If the verifier computes numbers that are not finite, its answers have failed,
// and the run goes on.
func scoreAll(ctx context.Context, by Verifier, waiting []pending) error {
	answers := make([]verifier.Answer, len(waiting))
	for i, c := range waiting {
		answers[i] = c.answer
	}
	scores, err := by.Score(ctx, answers)
	if errors.Is(err, engine.ErrNotFinite) {
		scores, err = slices.Repeat([]verifier.Score{verifier.Failed("%w", err)}, len(waiting)), nil
	}
	if err != nil {
		return fmt.Errorf("score answers: %w", err)
	}
	for i, c := range waiting {
		if scores[i].Err != nil {
			c.node.Fail(scores[i].Err.Error())
			c.completion.Score = 0
			continue
		}
		c.completion.Score = scores[i].P
	}
	return nil
}

func distinct[T comparable](list []T) []T {
	var out []T
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// closeAll ends the programs among verifiers.
func closeAll(list []Verifier) {
	for _, v := range distinct(list) {
		if c, ok := v.(io.Closer); ok {
			_ = c.Close() // its scores have been taken
		}
	}
}

// external returns the program or server that the recipe names, as the verifier of every agent's answers; none: the recipe names neither.
func external(r *recipe.Recipe, agents int, servers *openai.Pool) ([]Verifier, error) {
	o := r.Reward.Scoring
	deadline := time.Duration(o.Seconds * float64(time.Second))
	var one Verifier
	switch r.Reward.Source {
	case "program":
		one = newProgram(o.Command, deadline, o.Retries)
	case "server":
		key, err := plan.Secret("reward.scoring.key_env", o.KeyEnv)
		if err != nil {
			return nil, err
		}
		one = &modelServer{Model: o.Model, At: servers.Server(openai.Address{URL: o.URL, Key: key, Deadline: deadline, Retries: o.Retries})}
	default:
		return nil, nil
	}
	return slices.Repeat([]Verifier{one}, agents), nil
}

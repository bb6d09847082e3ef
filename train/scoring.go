package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"parley/engine"
	"parley/internal/service/web"
	"parley/rollout"
	"parley/verifier"
	"parley/verifier/program"
	"parley/verifier/server"
)

// A scorer is a verifier: it gives each answer a score, or the reason why it has none. An error is about all of them.
type scorer interface {
	Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error)
}

// A claim is an answer that waits for its score.
type claim struct {
	node       *rollout.Node
	completion *rollout.Completion
	answer     verifier.Answer
}

// scoreAnswers asks the verifiers about all answers of a turn, one batch a verifier. A node with an answer without a score has failed.
func (j *judge) scoreAnswers(ctx context.Context, turn []rollout.ScoreItem) error {
	if len(j.scorers) == 0 || len(turn) == 0 || j.inference && !j.showsScores(turn[0].Node.Turn) {
		return nil
	}
	claims := map[scorer][]claim{}
	for _, t := range turn {
		for s := range t.Node.Agents {
			agentTurn := &t.Node.Agents[s]
			by := j.scorers[agentTurn.Agent]
			for i := range agentTurn.Completions {
				c := &agentTurn.Completions[i]
				claims[by] = append(claims[by], claim{t.Node, c, verifier.Answer{Problem: t.Problem, Shown: c.VisibleText()}})
			}
		}
	}
	for _, by := range distinct(j.scorers) {
		if err := settle(ctx, by, claims[by]); err != nil {
			return err
		}
	}
	return nil
}

// showsScores reports whether prompts of turns after this one quote its scores.
func (j *judge) showsScores(turn int) bool {
	return j.recipe.Team.RewardFeedback && turn+1 < j.recipe.Team.Turns
}

// settle scores the claims on one verifier. That it computes no finite numbers is a failure of its answers, not of the run.
func settle(ctx context.Context, by scorer, claims []claim) error {
	answers := make([]verifier.Answer, len(claims))
	for i, c := range claims {
		answers[i] = c.answer
	}
	scores, err := by.Score(ctx, answers)
	if errors.Is(err, engine.ErrNotFinite) {
		scores, err = slices.Repeat([]verifier.Score{verifier.Failed("%w", err)}, len(claims)), nil
	}
	if err != nil {
		return fmt.Errorf("score answers: %w", err)
	}
	for i, c := range claims {
		if scores[i].Err != nil {
			c.node.Failed, c.completion.Score = scores[i].Err.Error(), 0
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

// closeScorers ends the programs among verifiers.
func closeScorers(list []scorer) {
	for _, s := range distinct(list) {
		if c, ok := s.(io.Closer); ok {
			_ = c.Close() // its scores have been taken
		}
	}
}

// openScorers returns the verifier of every agent's answers; none where labels are the scores.
func (s *session) openScorers(ctx context.Context) ([]scorer, error) {
	o := s.recipe.Reward.Scoring
	deadline := time.Duration(o.Seconds * float64(time.Second))
	var one scorer
	switch s.recipe.Reward.Source {
	case "trained":
		return s.loadVerifiers(ctx)
	case "program":
		one = program.New(o.Command, deadline, o.Retries)
	case "server":
		key, err := keyFrom("reward.scoring.key_env", o.KeyEnv)
		if err != nil {
			return nil, err
		}
		one = &server.Server{Model: o.Model, Web: web.Server{URL: o.URL, Key: key, Deadline: deadline, Retries: o.Retries}}
	default:
		return nil, nil
	}
	return slices.Repeat([]scorer{one}, s.protocol.Agents()), nil
}

// keyFrom reads the key of a server from the environment variable that the recipe names; none: there is no key.
func keyFrom(where, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	key := os.Getenv(name)
	if key == "" {
		return "", &UserError{fmt.Errorf("%s is %s, but that environment variable is not set", where, name)}
	}
	return key, nil
}

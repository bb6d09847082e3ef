// Package server asks a model behind an OpenAI-compatible server whether answers are right. The score of an answer is the
// probability of "yes" among "yes" and "no" as the model's first token, where the server tells log-probabilities; else it is 1
// for the word yes and 0 for no. Requests have a deadline, and what may pass is tried again (package web). An answer that stays
// without a score has failed.
package server

import (
	"context"

	"parley/internal/service/web"
	"parley/verifier"
)

// A Server is a model that scores answers. Its methods are safe for concurrent use.
type Server struct {
	Model string
	Web   *web.Server // see [web.NewChat]
}

// Score asks about all answers, several at a time.
func (s *Server) Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	scores := make([]verifier.Score, len(answers))
	web.Each(len(answers), func(i int) {
		err := s.Web.Post(ctx, newRequest(s.Model, answers[i]), func(reply []byte) error {
			p, err := parse(reply)
			scores[i] = verifier.Checked(p)
			return err
		})
		if err != nil {
			scores[i] = verifier.Failed("%w", err)
		}
	})
	return scores, ctx.Err()
}

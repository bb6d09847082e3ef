package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"parley/engine/openai"
	"parley/internal/service"
	"parley/internal/service/web"
	"parley/rl/verifier"
)

// A modelServer is a model behind an OpenAI-compatible server that is asked whether answers are right. The score of an answer is the probability of
// "yes" among "yes" and "no" as the model's first token, where the server tells log-probabilities; else it is 1 for the word yes and 0 for no.
// Requests have a deadline, and what may pass is tried again (package openai). An answer that stays without a score has failed. Its methods are
// safe for concurrent use.
type modelServer struct {
	Model string
	At    *openai.Server
}

// Score asks about all answers, several at a time.
func (s *modelServer) Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	scores := make([]verifier.Score, len(answers))
	spent := make([]error, len(answers))
	web.Each(len(answers), web.Together, func(i int) {
		_, err := s.At.Chat(ctx, newRequest(s.Model, answers[i]), func(reply openai.ChatReply) error {
			p, err := score(reply)
			scores[i] = verifier.Checked(p)
			return err
		})
		if err != nil {
			scores[i] = verifier.Failed("%w", err)
		}
		if errors.Is(err, openai.ErrSpent) {
			spent[i] = err
		}
	})
	for _, err := range spent {
		if err != nil {
			return scores, err // the run ends
		}
	}
	return scores, service.LeftAmong(ctx, scores, func(s verifier.Score) error { return s.Err })
}

func newRequest(model string, a verifier.Answer) openai.ChatRequest {
	text := "Here is a question and an answer to it.\n\nQuestion: " + verifier.QuestionOf(a.Problem) + "\n\nAnswer: " + a.Shown +
		"\n\nIs the final answer correct? Reply with yes or no only."
	return openai.ChatRequest{Model: model, Messages: []openai.Message{{Role: "user", Content: text}}, MaxTokens: 4, Logprobs: true, TopLogprobs: 20}
}

// score reads a score from a reply.
func score(reply openai.ChatReply) (float64, error) {
	if len(reply.Tokens) > 0 {
		if p, ok := leaning(reply.Tokens[0].Top); ok {
			return p, nil
		}
	}
	switch word(reply.Text) {
	case "yes":
		return 1, nil
	case "no":
		return 0, nil
	}
	return 0, fmt.Errorf("the model replied %.80q, expected yes or no", reply.Text)
}

// leaning is the probability of yes among yes and no; ok is false where neither is among the candidates.
func leaning(top []openai.Candidate) (p float64, ok bool) {
	sums := map[string]float64{}
	for _, c := range top {
		sums[word(c.Token)] += math.Exp(min(c.Logprob, 0))
	}
	yes, no := sums["yes"], sums["no"]
	return yes / (yes + no), yes+no > 0
}

// word is the first word of a text in lower case.
func word(s string) string {
	fields := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r < 'a' || r > 'z' })
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

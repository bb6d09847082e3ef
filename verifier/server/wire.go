package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"parley/verifier"
)

// request and response are the parts of the chat completions protocol that are used.
type request struct {
	Model       string    `json:"model"`
	Messages    []message `json:"messages"`
	MaxTokens   int       `json:"max_tokens"`
	Temperature float64   `json:"temperature"`
	Logprobs    bool      `json:"logprobs"`
	TopLogprobs int       `json:"top_logprobs"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type response struct {
	Choices []struct {
		Message  message `json:"message"`
		Logprobs *struct {
			Content []struct {
				Top []candidate `json:"top_logprobs"`
			} `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
}

type candidate struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

func newRequest(model string, a verifier.Answer) request {
	text := "Here is a question and an answer to it.\n\nQuestion: " + verifier.QuestionOf(a.Problem) + "\n\nAnswer: " + a.Shown +
		"\n\nIs the final answer correct? Reply with yes or no only."
	return request{Model: model, Messages: []message{{"user", text}}, MaxTokens: 4, Logprobs: true, TopLogprobs: 20}
}

// parse reads a score from a reply.
func parse(data []byte) (float64, error) {
	var r response
	if err := json.Unmarshal(data, &r); err != nil {
		return 0, fmt.Errorf("the reply %.80q is no chat completion: %w", data, err)
	}
	if len(r.Choices) == 0 {
		return 0, errors.New("the reply has no choices")
	}
	c := r.Choices[0]
	if c.Logprobs != nil && len(c.Logprobs.Content) > 0 {
		if p, ok := preference(c.Logprobs.Content[0].Top); ok {
			return p, nil
		}
	}
	switch word(c.Message.Content) {
	case "yes":
		return 1, nil
	case "no":
		return 0, nil
	}
	return 0, fmt.Errorf("the model replied %.80q, expected yes or no", c.Message.Content)
}

// preference is the probability of yes among yes and no; ok is false where neither is among the candidates.
func preference(top []candidate) (p float64, ok bool) {
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

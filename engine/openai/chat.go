package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// A Message is one of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A ChatRequest asks for one completion of a chat. A server that does not know the seed ignores it.
type ChatRequest struct {
	Model       string    `json:"model"`
	Messages    []Message `json:"messages"`
	Temperature float64   `json:"temperature"`
	TopP        float64   `json:"top_p,omitempty"`
	MaxTokens   int       `json:"max_tokens"`
	Stop        []string  `json:"stop,omitempty"`
	Seed        *int64    `json:"seed,omitempty"`
	Logprobs    bool      `json:"logprobs,omitempty"`
	TopLogprobs int       `json:"top_logprobs,omitempty"`
	// What the text is to be: a schema of OpenAI's protocol, or vLLM's expression.
	Format     json.RawMessage `json:"response_format,omitempty"`
	Structured json.RawMessage `json:"structured_outputs,omitempty"`
	Stream     bool            `json:"stream,omitempty"` // the reply comes piece by piece, and is whole only with its reason to end
	Options    *streamOptions  `json:"stream_options,omitempty"`
}

type streamOptions struct {
	Usage bool `json:"include_usage"`
}

// A Candidate is a token that might have come, and its log-probability.
type Candidate struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

// A Token is one that came, with the most probable ones in its place, where they were asked for.
type Token struct {
	Candidate
	Top []Candidate `json:"top_logprobs"`
}

// A ChatReply is what the model said.
type ChatReply struct {
	Text   string
	Cut    bool    // it reached its most tokens
	Tokens []Token // with log-probabilities, where the server gives them
}

// mostText is the most bytes of a text.
const mostText = 1 << 18

// chatBody is the part of a reply that is read.
type chatBody struct {
	Choices []chatChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type chatChoice struct {
	Index   int `json:"index"`
	Message struct {
		Role    string  `json:"role,omitempty"`
		Content *string `json:"content"`
	} `json:"message"`
	Logprobs *chatLogprobs `json:"logprobs,omitempty"`
	Finish   *string       `json:"finish_reason"`
}

type chatLogprobs struct {
	Content []Token `json:"content"`
}

// Chat lets the model answer a chat. Check, where there is one, says what the answer is worth: one that it refuses is asked for again.
func (s *Server) Chat(ctx context.Context, r ChatRequest, check func(ChatReply) error) (out ChatReply, err error) {
	q := question{route: "/chat/completions", model: r.Model, read: func(body []byte) (err error) {
		if out, err = readChat(body); err == nil && check != nil {
			err = check(out)
		}
		return err
	}}
	if r.Stream {
		r.Options, q.shape = &streamOptions{Usage: true}, assemble
	}
	q.body, q.newer = r, newerOf(r)
	if s.form == Anthropic {
		if err := q.anthropic(r); err != nil {
			return ChatReply{}, err
		}
	}
	if err := s.ask(ctx, q); err != nil {
		return ChatReply{}, err
	}
	return out, nil
}

// readChat reads what the model said, and checks what can be checked.
func readChat(body []byte) (ChatReply, error) {
	var r chatBody
	if err := json.Unmarshal(body, &r); err != nil {
		return ChatReply{}, fmt.Errorf("the reply %.80q is no chat completion: %w", body, err)
	}
	if len(r.Choices) == 0 {
		return ChatReply{}, errors.New("the reply has no choices")
	}
	c := r.Choices[0]
	switch text := c.Message.Content; {
	case text == nil:
		return ChatReply{}, errors.New("the reply has no choices[0].message.content")
	case len(*text) > mostText:
		return ChatReply{}, fmt.Errorf("the text has %d bytes, more than %d", len(*text), mostText)
	}
	out := ChatReply{Text: *c.Message.Content, Cut: c.Finish != nil && *c.Finish == "length"}
	if c.Logprobs != nil {
		out.Tokens = c.Logprobs.Content
	}
	for _, t := range out.Tokens {
		for _, x := range append([]Candidate{t.Candidate}, t.Top...) {
			if math.IsInf(x.Logprob, 0) || x.Logprob > mostAbove {
				return ChatReply{}, fmt.Errorf("token %.40q has the log-probability %g", x.Token, x.Logprob)
			}
		}
	}
	return out, nil
}

// mostAbove is how far above 0 rounding may lift a log-probability.
const mostAbove = 1e-3

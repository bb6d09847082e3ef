package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A CompletionRequest asks how token ids go on. Its fields beyond OpenAI's are vLLM's, which parley's own server has too.
type CompletionRequest struct {
	Model          string  `json:"model"`
	Prompt         []int   `json:"prompt"`
	MaxTokens      int     `json:"max_tokens"`
	MinTokens      int     `json:"min_tokens,omitempty"`
	Temperature    float64 `json:"temperature"`
	TopP           float64 `json:"top_p,omitempty"`
	TopK           int     `json:"top_k,omitempty"`
	StopTokens     []int   `json:"stop_token_ids,omitempty"`
	IgnoreEnd      bool    `json:"ignore_eos,omitempty"` // only StopTokens end a text
	Seed           int64   `json:"seed"`
	Logprobs       int     `json:"logprobs"` // 0: of the tokens that were drawn
	ReturnTokenIDs bool    `json:"return_token_ids"`
}

// A Completion is the new tokens, each with the log-probability that it was drawn with.
type Completion struct {
	Tokens   []int
	Logprobs []float32
	Cut      bool // it reached its most tokens, or the context
}

// completionBody is the part of a reply that is read.
type completionBody struct {
	Model   string `json:"model"`
	Choices []struct {
		Tokens   []int `json:"token_ids"`
		Prompt   []int `json:"prompt_token_ids"`
		Logprobs *struct {
			Tokens []*float64 `json:"token_logprobs"`
		} `json:"logprobs"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
}

// Complete goes on with token ids. A reply whose tokens, lengths, numbers or names cannot be true is asked for again.
func (s *Server) Complete(ctx context.Context, r CompletionRequest) (out Completion, err error) {
	r.ReturnTokenIDs = true
	err = s.ask(ctx, question{route: "/completions", model: r.Model, body: r, read: func(body []byte) (err error) {
		out, err = readCompletion(body, r)
		return err
	}})
	if err != nil {
		return Completion{}, err
	}
	return out, nil
}

// LoadAdapter lets the server load a low-rank adapter in the form of PEFT, from a folder that it sees, under a name (vLLM, SGLang).
func (s *Server) LoadAdapter(ctx context.Context, name, folder string) error {
	return s.web.At(s.base+"/load_lora_adapter").Post(ctx, map[string]string{"lora_name": name, "lora_path": folder}, taken)
}

// UnloadAdapter lets the server forget an adapter.
func (s *Server) UnloadAdapter(ctx context.Context, name string) error {
	return s.web.At(s.base+"/unload_lora_adapter").Post(ctx, map[string]string{"lora_name": name}, taken)
}

// taken is all that a success has to say.
func taken([]byte) error { return nil }

// readCompletion reads a reply, and checks it against what was asked.
func readCompletion(body []byte, asked CompletionRequest) (out Completion, err error) {
	var r completionBody
	if err := json.Unmarshal(body, &r); err != nil {
		return out, fmt.Errorf("the reply %.80q is no completion: %w", body, err)
	}
	if len(r.Choices) != 1 {
		return out, fmt.Errorf("the reply has %d choices, expected one", len(r.Choices))
	}
	c := r.Choices[0]
	switch {
	case r.Model != "" && r.Model != asked.Model:
		return out, fmt.Errorf("model %.80q replied, and %q was asked", r.Model, asked.Model)
	case len(c.Tokens) == 0:
		return out, errors.New("the reply has no choices[0].token_ids: the server has to know return_token_ids, as vLLM does")
	case len(c.Tokens) > asked.MaxTokens:
		return out, fmt.Errorf("the reply has %d tokens, and at most %d were asked for", len(c.Tokens), asked.MaxTokens)
	case c.Prompt != nil && !slices.Equal(c.Prompt, asked.Prompt):
		return out, errors.New("the reply is about another prompt than was sent")
	case c.Logprobs == nil || len(c.Logprobs.Tokens) != len(c.Tokens):
		return out, fmt.Errorf("the reply has no log-probability for each of its %d tokens", len(c.Tokens))
	case c.Finish == nil:
		return out, errors.New("the reply has no finish_reason: it was cut")
	}
	out = Completion{Tokens: c.Tokens, Logprobs: make([]float32, len(c.Tokens)), Cut: *c.Finish == "length"}
	for i, lp := range c.Logprobs.Tokens {
		if c.Tokens[i] < 0 || lp == nil || math.IsInf(float64(float32(*lp)), 0) || *lp > mostAbove {
			return Completion{}, fmt.Errorf("token %d of the reply has a number or a log-probability that cannot be", i)
		}
		out.Logprobs[i] = float32(min(*lp, 0))
	}
	return out, nil
}

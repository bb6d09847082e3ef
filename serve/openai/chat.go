package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"parley/serve"
	"parley/team"
)

// A chatRequest is the body of /v1/chat/completions.
type chatRequest struct {
	sampling
	Model               string            `json:"model"`
	Messages            []message         `json:"messages"`
	MaxCompletionTokens *int              `json:"max_completion_tokens"`
	MaxTokens           *int              `json:"max_tokens"`
	Logprobs            *bool             `json:"logprobs"`
	TopLogprobs         *int              `json:"top_logprobs"`
	Tools               []json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls"`
	TopK                *int              `json:"top_k"`
	AddGenerationPrompt *bool             `json:"add_generation_prompt"`
	ContinueFinal       bool              `json:"continue_final_message"`
	ResponseFormat      *serve.Format     `json:"response_format"`
	StructuredOutputs   serve.Outputs     `json:"structured_outputs"`
}

// A task is a request that has been checked.
type chatTask struct {
	*chatRequest
	model    *serve.Model
	question serve.Question
	tops     int // most probable tokens beside each; -1: no log-probabilities at all
	id       string
	created  int64
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) *serve.Failure {
	var req chatRequest
	if fault := read(r, chats, &req); fault != nil {
		return fault
	}
	t, fault := s.checkChat(&req, "response_format")
	if fault != nil {
		return fault
	}
	if req.Stream {
		return s.gate.Stream(w, r, req.User, s.still, t.fits, func(ctx context.Context, e *serve.Events) error {
			return s.streamed(ctx, t, &chunks{chatTask: t, Events: e})
		})
	}
	return s.whole(w, r, req.User, func(ctx context.Context) (any, error) {
		answers, err := s.answers(ctx, t, func(int) serve.Listener { return silent(s.gate.FirstText()) })
		if err != nil {
			return nil, err
		}
		return t.whole(ctx, answers)
	})
}

// checkChat refuses what cannot be answered. formatField is what the field of the answer's format is called.
func (s *Server) checkChat(req *chatRequest, formatField string) (*chatTask, *serve.Failure) {
	t := &chatTask{chatRequest: req, id: serve.NewID("chatcmpl-"), created: time.Now().Unix(), tops: -1, question: req.question()}
	var fault *serve.Failure
	if t.model, fault = s.gate.Model(req.Model); fault != nil {
		return nil, fault
	}
	if fault = req.check(); fault != nil {
		return nil, fault
	}
	if t.question.Logits, fault = req.Of(t.model, req.TopLogprobs); fault != nil {
		return nil, fault
	}
	if t.question.Messages, fault = dialogue(req.Messages); fault != nil {
		return nil, fault
	}
	if fault = t.setEnd(); fault != nil {
		return nil, fault
	}
	switch k := req.TopK; {
	case k != nil && *k < -1:
		return nil, serve.Bad("top_k", "top_k is %d, expected -1 or more", *k)
	case k != nil:
		n := max(*k, 0)
		t.question.TopK = &n
	}
	if t.question.MaxTokens, fault = limit([]string{"max_completion_tokens", "max_tokens"}, req.MaxCompletionTokens, req.MaxTokens); fault != nil {
		return nil, fault
	}
	if fault = t.question.SetTools(t.model, req.Tools, req.ToolChoice); fault != nil {
		return nil, fault
	}
	if fault = t.question.HoldTo(t.model, serve.Wish{Format: req.ResponseFormat, Field: formatField, Outputs: req.StructuredOutputs, Choice: req.ToolChoice, Tools: req.Tools}); fault != nil {
		return nil, fault
	}
	return t, t.checkLogprobs()
}

// fits says why the model cannot read the conversation.
func (t *chatTask) fits() error { return t.question.Fits(t.model) }

// setEnd says where the answer begins: behind the conversation, or within its last message, as vLLM has it.
func (t *chatTask) setEnd() *serve.Failure {
	last := t.question.Messages[len(t.question.Messages)-1]
	_, writes := t.model.Answerer.(serve.Writer)
	switch begins := t.AddGenerationPrompt; {
	case !t.ContinueFinal && begins != nil && !*begins:
		return serve.Bad("add_generation_prompt", "add_generation_prompt is false, expected true, or continue_final_message beside it").Coded("unsupported_parameter")
	case !t.ContinueFinal && last.Role == team.Assistant:
		return serve.Bad("messages", "the last message is the assistant's own: there is nothing to answer; continue_final_message: true goes on with it")
	case !t.ContinueFinal:
		return nil
	case begins != nil && *begins:
		return serve.Bad("continue_final_message", "continue_final_message and add_generation_prompt are both true")
	case last.Role != team.Assistant || len(last.ToolCalls) > 0:
		return serve.Bad("continue_final_message", "continue_final_message is true, and the last message is no text of the assistant's")
	case !writes:
		return serve.Bad("continue_final_message", "%s is no model alone, which could go on with a message", t.model.ID).Coded("unsupported_parameter")
	}
	t.question.Continue = true
	return nil
}

// answers lets the model answer, for every choice at once.
func (s *Server) answers(ctx context.Context, t *chatTask, listener func(choice int) serve.Listener) ([]serve.Answer, error) {
	seeds := t.seeds()
	answers, err := together(ctx, len(seeds), func(ctx context.Context, i int) (serve.Answer, error) {
		q := t.question
		q.Seed, q.Response, q.Choice, q.Choices = seeds[i], t.id, i, len(seeds)
		return t.model.Answer(ctx, q, listener(i))
	})
	if err != nil {
		return nil, err
	}
	for i, a := range answers {
		s.gate.Took(a.Usage)
		if p := t.ParallelToolCalls; p != nil && !*p {
			answers[i].Calls = a.Calls[:min(1, len(a.Calls))]
		}
	}
	return answers, nil
}

// together draws so many answers at once. The first error ends the others, which would be thrown away.
func together[T any](ctx context.Context, n int, draw func(ctx context.Context, i int) (T, error)) ([]T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := make([]T, n)
	var all sync.WaitGroup
	var once sync.Once
	var first error
	for i := range out {
		all.Go(func() {
			var err error
			if out[i], err = draw(ctx, i); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	all.Wait()
	return out, first
}

// silent is a listener that only hears that there is text.
func silent(text func()) serve.Listener {
	hear := func(string) error { text(); return nil }
	return serve.Listener{Reason: hear, Say: hear}
}

// whole is the answer of all choices at once.
func (t *chatTask) whole(ctx context.Context, answers []serve.Answer) (any, error) {
	choices := make([]any, len(answers))
	for i, a := range answers {
		said := map[string]any{"role": "assistant", "content": a.Text, "refusal": nil}
		if len(a.Calls) > 0 {
			said["tool_calls"] = callsOf(a)
			if a.Text == "" {
				said["content"] = nil
			}
		}
		if a.Reasoning != "" {
			// Servers and clients spell it in two ways. Clients that know both take one of them.
			said["reasoning_content"], said["reasoning"] = a.Reasoning, a.Reasoning
		}
		probabilities, err := t.logprobs(ctx, a)
		if err != nil {
			return nil, err
		}
		choices[i] = map[string]any{"index": i, "message": said, "logprobs": probabilities, "finish_reason": finish(a)}
	}
	return map[string]any{
		"id": t.id, "object": "chat.completion", "created": t.created, "model": t.model.ID,
		"system_fingerprint": t.model.Fingerprint, "choices": choices, "usage": usageOf(answers),
	}, nil
}

// callsOf are the calls of an answer.
func callsOf(a serve.Answer) []map[string]any {
	out := make([]map[string]any, len(a.Calls))
	for i, c := range a.Calls {
		out[i] = map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
	}
	return out
}

func finish(a serve.Answer) string {
	switch {
	case a.Cut:
		return "length"
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// usageOf adds up what the choices took. Their prompt is one.
func usageOf(answers []serve.Answer) map[string]any {
	drawn, reasoning := 0, 0
	var agents []serve.AgentUsage
	for _, a := range answers {
		drawn, reasoning = drawn+a.Usage.Drawn, reasoning+a.Usage.Reasoning
		agents = append(agents, a.Usage.Agents...)
	}
	prompt := answers[0].Usage.Prompt
	u := map[string]any{
		"prompt_tokens": prompt, "completion_tokens": drawn, "total_tokens": prompt + drawn,
		"prompt_tokens_details":     map[string]int{"cached_tokens": 0},
		"completion_tokens_details": map[string]int{"reasoning_tokens": reasoning},
	}
	if len(agents) > 0 {
		u["parley"] = map[string]any{"agents": serve.Sum(agents)}
	}
	return u
}

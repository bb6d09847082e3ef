package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"parley/serve"
)

// A chatRequest is the body of /v1/chat/completions.
type chatRequest struct {
	sampling
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	MaxTokens           *int            `json:"max_tokens"`
	Logprobs            *bool           `json:"logprobs"`
	TopLogprobs         *int            `json:"top_logprobs"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ResponseFormat      *form           `json:"response_format"`
}

// A form is what an answer is to look like.
type form struct {
	Type string `json:"type"`
}

// check refuses forms other than plain text: nothing here forces them.
func (f *form) check(param string) *serve.Failure {
	if f == nil || f.Type == "" || f.Type == "text" {
		return nil
	}
	return serve.Bad(param, "%s is %.40q, expected text: answers have no forced form here", param, f.Type).Coded("unsupported_parameter")
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
	if fault := serve.Read(r, &req); fault != nil {
		return fault
	}
	t, fault := s.checkChat(&req)
	if fault != nil {
		return fault
	}
	if req.Stream {
		return s.stream(w, r, req.User, func(ctx context.Context, e *events) error { return s.streamed(ctx, t, &chunks{chatTask: t, events: e}) })
	}
	return s.whole(w, r, req.User, func(ctx context.Context) (any, error) {
		answers, err := s.answers(ctx, t, func(int) serve.Listener { return silent(s.gate.FirstText()) })
		if err != nil {
			return nil, err
		}
		return t.whole(ctx, answers)
	})
}

// checkChat refuses what cannot be answered.
func (s *Server) checkChat(req *chatRequest) (*chatTask, *serve.Failure) {
	t := &chatTask{chatRequest: req, id: serve.NewID("chatcmpl-"), created: time.Now().Unix(), tops: -1, question: req.question()}
	var fault *serve.Failure
	if t.model, fault = s.gate.Model(req.Model); fault != nil {
		return nil, fault
	}
	if fault = req.check(); fault != nil {
		return nil, fault
	}
	if t.question.Messages, fault = dialogue(req.Messages); fault != nil {
		return nil, fault
	}
	if t.question.MaxTokens, fault = limit([]string{"max_completion_tokens", "max_tokens"}, req.MaxCompletionTokens, req.MaxTokens); fault != nil {
		return nil, fault
	}
	if fault = req.ResponseFormat.check("response_format"); fault != nil {
		return nil, fault
	}
	if fault = tools(req.ToolChoice); fault != nil {
		return nil, fault
	}
	return t, t.checkLogprobs()
}

// answers lets the model answer, for every choice at once.
func (s *Server) answers(ctx context.Context, t *chatTask, listener func(choice int) serve.Listener) ([]serve.Answer, error) {
	seeds := t.seeds()
	answers, errs := make([]serve.Answer, len(seeds)), make([]error, len(seeds))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	var once sync.Once
	var first error
	for i, root := range seeds {
		all.Go(func() {
			q := t.question
			q.Seed = root
			if answers[i], errs[i] = t.model.Answer(ctx, q, listener(i)); errs[i] != nil {
				once.Do(func() { first = errs[i] })
				cancel() // the others would be thrown away
			}
		})
	}
	all.Wait()
	if first != nil {
		return nil, first
	}
	for _, a := range answers {
		s.gate.Took(a.Usage)
	}
	return answers, nil
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

func finish(a serve.Answer) string {
	if a.Cut {
		return "length"
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
		u["parley"] = map[string]any{"agents": sum(agents)}
	}
	return u
}

// sum adds up agents of one name.
func sum(agents []serve.AgentUsage) []serve.AgentUsage {
	var out []serve.AgentUsage
	at := map[string]int{}
	for _, a := range agents {
		i, known := at[a.Name]
		if !known {
			at[a.Name] = len(out)
			out = append(out, a)
			continue
		}
		out[i].Prompt += a.Prompt
		out[i].Drawn += a.Drawn
	}
	return out
}

package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"parley/engine"
	"parley/serve"
	"parley/serve/chatsession"
)

// A completionRequest is the body of /v1/completions, with some of vLLM's further fields.
type completionRequest struct {
	sampling
	Model     string  `json:"model"`
	Prompt    prompts `json:"prompt"`
	MaxTokens *int    `json:"max_tokens"`
	Logprobs  *int    `json:"logprobs"`
	Echo      bool    `json:"echo"`
	Suffix    *string `json:"suffix"`
	BestOf    *int    `json:"best_of"`

	ReturnTokenIDs bool  `json:"return_token_ids"`
	MinTokens      int   `json:"min_tokens"`
	StopTokenIDs   []int `json:"stop_token_ids"`
	IgnoreEOS      bool  `json:"ignore_eos"`
	TopK           int   `json:"top_k"`
	PromptLogprobs *int  `json:"prompt_logprobs"`
	TokensAsIDs    bool  `json:"return_tokens_as_token_ids"`

	ResponseFormat    *serve.Format `json:"response_format"`
	StructuredOutputs serve.Outputs `json:"structured_outputs"`
}

// prompts are texts or token ids, one or several.
type prompts struct {
	texts []string
	ids   [][]int
}

func (p *prompts) UnmarshalJSON(data []byte) error {
	var one string
	var ids []int
	switch {
	case string(data) == "null":
		return nil
	case json.Unmarshal(data, &one) == nil:
		p.texts = []string{one}
	case json.Unmarshal(data, &p.texts) == nil:
	case json.Unmarshal(data, &ids) == nil:
		p.texts, p.ids = nil, [][]int{ids}
	case json.Unmarshal(data, &p.ids) == nil:
		p.texts = nil
	default:
		return serve.Bad("prompt", "prompt is neither a text, nor texts, nor token ids, nor arrays of token ids")
	}
	return nil
}

// A completionTask is a request that has been checked.
type completionTask struct {
	*completionRequest
	model    *serve.Model
	writer   serve.Writer
	settings chatsession.Settings
	prompts  [][]int
	texts    []string // of the prompts
	echoed   []echoed // prompts with their log-probabilities, where these are asked for
	tops     int      // most probable tokens beside each; -1: no log-probabilities at all
	id       string
	created  int64
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) *serve.Failure {
	var req completionRequest
	if fault := read(r, completions, &req); fault != nil {
		return fault
	}
	t, fault := s.checkCompletion(&req)
	if fault != nil {
		return fault
	}
	if req.Stream {
		fits := func() error { return ofPrompt(serve.Fit(t.writer, t.prompts...)) }
		return s.gate.Stream(w, r, req.User, s.still, fits, func(ctx context.Context, e *serve.Events) error { return s.streamCompletions(ctx, t, e) })
	}
	return s.whole(w, r, req.User, func(ctx context.Context) (any, error) {
		text := s.gate.FirstText()
		if err := t.score(ctx); err != nil {
			return nil, ofPrompt(err)
		}
		replies, err := s.completions(ctx, t, func(int) listener { return listener{say: func(string) error { text(); return nil }} })
		if err != nil {
			return nil, err
		}
		return t.whole(ctx, replies)
	})
}

// checkCompletion refuses what cannot be answered.
func (s *Server) checkCompletion(req *completionRequest) (*completionTask, *serve.Failure) {
	t := &completionTask{completionRequest: req, id: serve.NewID("cmpl-"), created: time.Now().Unix(), tops: -1}
	var fault *serve.Failure
	if t.model, fault = s.gate.Model(req.Model); fault != nil {
		return nil, fault
	}
	var ok bool
	if t.writer, ok = t.model.Answerer.(serve.Writer); !ok {
		return nil, serve.Bad("model", "%s is a team, which answers conversations: ask /v1/chat/completions, or one of its agents", req.Model).Coded("unsupported_parameter")
	}
	if fault = req.checkFields(); fault != nil {
		return nil, fault
	}
	if n := req.Logprobs; n != nil {
		t.tops = *n
	}
	if t.settings, fault = t.drawn(); fault != nil {
		return nil, fault
	}
	if t.settings.Logits, fault = t.Of(t.model, t.Logprobs); fault != nil {
		return nil, fault
	}
	if fault = t.setForm(); fault != nil {
		return nil, fault
	}
	s.encoding <- struct{}{}
	defer func() { <-s.encoding }()
	t.prompts, fault = t.encode()
	return t, fault
}

func (r *completionRequest) checkFields() *serve.Failure {
	switch {
	case r.Suffix != nil && *r.Suffix != "":
		return serve.Bad("suffix", "suffix is set, and texts are only continued here").Coded("unsupported_parameter")
	case r.BestOf != nil && *r.BestOf != r.choices():
		return serve.Bad("best_of", "best_of is %d, expected n or nothing", *r.BestOf).Coded("unsupported_parameter")
	case r.PromptLogprobs != nil && (*r.PromptLogprobs < 0 || *r.PromptLogprobs > mostTops):
		return serve.Bad("prompt_logprobs", "prompt_logprobs is %d, expected 0 to %d", *r.PromptLogprobs, mostTops)
	case r.PromptLogprobs != nil && r.Stream:
		return serve.Bad("prompt_logprobs", "prompt_logprobs are not for stream: true")
	case r.Logprobs != nil && (*r.Logprobs < 0 || *r.Logprobs > 5):
		return serve.Bad("logprobs", "logprobs is %d, expected 0 to 5", *r.Logprobs)
	case r.MinTokens < 0:
		return serve.Bad("min_tokens", "min_tokens is %d, expected at least 0", r.MinTokens)
	case r.TopK < -1:
		return serve.Bad("top_k", "top_k is %d, expected -1 or more", r.TopK)
	}
	return r.check()
}

// drawn is how the texts go on. Without a limit they go on for 16 tokens, as this route always had it.
func (t *completionTask) drawn() (chatsession.Settings, *serve.Failure) {
	s := t.writer.Settings()
	s.MinTokens, s.Stop, s.StopTokens, s.IgnoreEnd = t.MinTokens, t.Stop, t.StopTokenIDs, t.IgnoreEOS
	s.Sampling.TopK = max(t.TopK, 0)
	if t.Temperature != nil {
		s.Sampling.Temperature = serve.Temperature(*t.Temperature)
	}
	if t.TopP != nil {
		s.Sampling.TopP = *t.TopP
	}
	if t.Echo && t.MaxTokens != nil && *t.MaxTokens == 0 && s.MinTokens == 0 {
		s.MaxTokens = 0 // the prompt alone
		return s, nil
	}
	n, fault := limit([]string{"max_tokens"}, t.MaxTokens)
	if s.MaxTokens = n; n == 0 {
		s.MaxTokens = 16
	}
	if s.MinTokens > s.MaxTokens {
		return s, serve.Bad("min_tokens", "min_tokens is %d, expected at most max_tokens, %d", s.MinTokens, s.MaxTokens)
	}
	return s, fault
}

// setForm holds the texts to what the client asks for.
func (t *completionTask) setForm() *serve.Failure {
	var q serve.Question
	if fault := q.HoldTo(t.model, serve.Wish{Format: t.ResponseFormat, Field: "response_format", Outputs: t.StructuredOutputs}); fault != nil {
		return fault
	}
	t.settings.Form = cmp.Or(q.Form, t.settings.Form)
	field := ""
	switch {
	case t.MinTokens > 0:
		field = "min_tokens"
	case t.IgnoreEOS:
		field = "ignore_eos"
	case len(t.StopTokenIDs) > 0:
		field = "stop_token_ids"
	}
	if field == "" || t.settings.Form == "" {
		return nil
	}
	return serve.Bad(field, "%s is set beside a form, which alone says where the text may end: leave it out", field)
}

// encode is every prompt as token ids.
func (t *completionTask) encode() ([][]int, *serve.Failure) {
	all := t.Prompt.ids
	t.texts = t.Prompt.texts
	for _, ids := range all {
		t.texts = append(t.texts, t.writer.Speaker().Model.Tokenizer.Decode(ids, true))
	}
	for _, text := range t.Prompt.texts {
		ids, err := t.writer.Speaker().Model.Tokenizer.Encode(text, true)
		if err != nil {
			return nil, serve.Bad("prompt", "%v", err)
		}
		all = append(all, ids)
	}
	switch {
	case len(all) == 0:
		return nil, serve.Bad("prompt", "prompt is empty: there is nothing to go on with")
	case len(all)*t.choices() > mostChoices:
		return nil, serve.Bad("prompt", "%d prompts with %d choices each, expected at most %d texts in all", len(all), t.choices(), mostChoices)
	}
	for i, ids := range all {
		if len(ids) == 0 {
			return nil, serve.Bad("prompt", "prompt %d is empty", i)
		}
	}
	return all, nil
}

// A listener hears one text while it is drawn.
type listener struct {
	say   func(piece string) error
	token func(id int, logprob float32) // before the text that becomes certain with it; nil: nobody asks
}

// completions goes on with every prompt, as often as is asked for.
func (s *Server) completions(ctx context.Context, t *completionTask, hear func(choice int) listener) ([]chatsession.Reply, error) {
	seeds, n := t.seeds(), t.choices()
	if t.settings.MaxTokens == 0 {
		replies := make([]chatsession.Reply, len(t.prompts)*n)
		for i := range replies {
			replies[i] = chatsession.Reply{Prompt: len(t.prompts[i/n]), Stop: engine.StopLength}
			replies[i].Drawn.Tokens = []int{}
			s.gate.Took(serve.Usage{Prompt: replies[i].Prompt})
		}
		return replies, nil
	}
	replies, err := together(ctx, len(t.prompts)*n, func(ctx context.Context, i int) (chatsession.Reply, error) {
		l, how := hear(i), t.settings
		how.Seed, how.Token = seeds[i%n], l.token
		return t.writer.Speaker().Continue(ctx, t.prompts[i/n], how, l.say)
	})
	if err != nil {
		return nil, ofPrompt(err)
	}
	for _, r := range replies {
		s.gate.Took(serve.Usage{Prompt: r.Prompt, Drawn: r.Tokens})
	}
	return replies, nil
}

// ofPrompt is an error as clients of this route read it: what is too long is called a prompt here.
func ofPrompt(err error) error {
	if errors.Is(err, engine.ErrTooLong) {
		return serve.FailureOf(err).Of("prompt")
	}
	return err
}

// whole is the answer with all choices.
func (t *completionTask) whole(ctx context.Context, replies []chatsession.Reply) (any, error) {
	choices := make([]any, len(replies))
	for i, r := range replies {
		choice, err := t.choice(ctx, i, r)
		if err != nil {
			return nil, err
		}
		choices[i] = choice
	}
	body := t.body(choices, nil)
	body["usage"] = t.used(replies)
	return body, nil
}

// body is an answer, or a piece of one.
func (t *completionTask) body(choices []any, usage any) map[string]any {
	body := map[string]any{
		"id": t.id, "object": "text_completion", "created": t.created, "model": t.model.ID,
		"system_fingerprint": t.model.Fingerprint, "choices": choices,
	}
	if t.usage() {
		body["usage"] = usage
	}
	return body
}

func (t *completionTask) used(replies []chatsession.Reply) map[string]any {
	prompt, drawn := 0, 0
	for i, r := range replies {
		if drawn += r.Tokens; i%t.choices() == 0 {
			prompt += len(t.prompts[i/t.choices()])
		}
	}
	return map[string]any{"prompt_tokens": prompt, "completion_tokens": drawn, "total_tokens": prompt + drawn}
}

// choice is one text with what was asked for beside it.
func (t *completionTask) choice(ctx context.Context, i int, r chatsession.Reply) (map[string]any, error) {
	c := map[string]any{"index": i, "text": r.Text, "logprobs": nil, "finish_reason": finishOf(r)}
	prompt := t.prompts[i/t.choices()]
	if t.Echo {
		c["text"] = t.texts[i/t.choices()] + r.Text
	}
	if t.ReturnTokenIDs {
		c["token_ids"], c["prompt_token_ids"] = r.Drawn.Tokens, prompt
	}
	if t.PromptLogprobs != nil {
		given, err := t.promptLogprobs(ctx, prompt, *t.PromptLogprobs)
		if err != nil {
			return nil, err
		}
		c["prompt_logprobs"] = given
	}
	if t.tops < 0 {
		return c, nil
	}
	probabilities, err := t.logprobs(ctx, i, r)
	if c["logprobs"] = probabilities; t.Echo {
		c["logprobs"] = t.echoed[i/t.choices()].tokens.and(probabilities)
	}
	return c, err
}

func finishOf(r chatsession.Reply) string {
	if r.Stop == engine.StopLength {
		return "length"
	}
	return "stop"
}

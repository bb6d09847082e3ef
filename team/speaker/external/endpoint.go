package external

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"parley/engine/openai"
	"parley/internal/service"
	"parley/internal/service/web"
	"parley/team"
)

// endpoint speaks by a model behind an OpenAI-compatible server: a chat completion for each ask.
type endpoint struct {
	server *openai.Server
	model  string
	stop   []string
	stream bool
}

// Kind implements [team.Speaker].
func (e *endpoint) Kind() string { return "endpoint" }

// Speak implements [team.Speaker].
func (e *endpoint) Speak(ctx context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	replies := make([]team.Reply, len(asks))
	web.Each(len(asks), web.Together, func(i int) {
		r, err := e.server.Chat(ctx, e.request(asks[i]), nil)
		replies[i] = team.Reply{Text: r.Text, Cut: r.Cut, Err: err}
	})
	return replies, cmp.Or(service.LeftAmong(ctx, replies, func(r team.Reply) error { return r.Err }), spent(replies))
}

// spent is the error that ends the run, if one of the replies has it.
func spent(replies []team.Reply) error {
	for _, r := range replies {
		if errors.Is(r.Err, openai.ErrSpent) {
			return r.Err
		}
	}
	return nil
}

func (e *endpoint) request(a team.SpeakerAsk) openai.ChatRequest {
	seed := a.Draw()
	r := openai.ChatRequest{Model: e.model, Temperature: a.Temperature, TopP: a.TopP, MaxTokens: a.MaxTokens, Stop: e.stop, Seed: &seed, Stream: e.stream}
	for _, m := range a.Messages {
		r.Messages = append(r.Messages, openai.Message{Role: string(m.Role), Content: m.Content})
	}
	hold(&r, a.Form)
	return r
}

// hold asks the server for a text of a form, which is a schema or an expression.
func hold(r *openai.ChatRequest, form string) {
	var f struct {
		Schema json.RawMessage `json:"schema"`
		Regex  *string         `json:"regex"`
	}
	if form == "" || json.Unmarshal([]byte(form), &f) != nil { // a form always is JSON
		return
	}
	if f.Regex != nil {
		r.Structured, _ = json.Marshal(map[string]string{"regex": *f.Regex})
		return
	}
	r.Format, _ = json.Marshal(map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": f.Schema}})
}

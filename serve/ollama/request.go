package ollama

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"

	"parley/model/chat"
	"parley/rl/rollout/harness"
	"parley/serve"
	"parley/team"
)

// A request is the body of /api/chat or of /api/generate.
type request struct {
	Model   string          `json:"model"`
	Stream  *bool           `json:"stream"` // nil: true
	Think   json.RawMessage `json:"think"`
	Format  json.RawMessage `json:"format"`
	Options options         `json:"options"`

	Messages []message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`

	Prompt string   `json:"prompt"`
	System string   `json:"system"`
	Suffix string   `json:"suffix"`
	Images []string `json:"images"`
	Raw    bool     `json:"raw"`
}

// options say how an answer is drawn. Others are left alone.
type options struct {
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	Seed        *int64   `json:"seed"`
	NumPredict  *int     `json:"num_predict"` // less than 1: no limit
	Stop        []string `json:"stop"`
	TopK        *int     `json:"top_k"` // less than 1: no cut
	MinP        float64  `json:"min_p"`
	Frequency   float64  `json:"frequency_penalty"`
	Presence    float64  `json:"presence_penalty"`
	Repeat      *float64 `json:"repeat_penalty"`
}

// setLogits says what the options do to the logits of a model.
func (o *options) setLogits(q *serve.Question, m *serve.Model) (fault *serve.Failure) {
	if o.TopK != nil {
		n := max(*o.TopK, 0)
		q.TopK = &n
	}
	l := serve.Logits{Frequency: o.Frequency, Presence: o.Presence, Repetition: o.Repeat, MinP: o.MinP}
	if q.Logits, fault = l.Of(m, nil); fault != nil {
		fault.Message = strings.ReplaceAll(fault.Message, "repetition_penalty", "repeat_penalty") // as it is called here
	}
	return fault
}

// A message is one of a conversation.
type message struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Images    []string   `json:"images"`
	ToolCalls []toolCall `json:"tool_calls"`
	ToolName  string     `json:"tool_name"` // whose result it is
}

// A toolCall is a call of a function in a message. Calls have no ids here.
type toolCall struct {
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// mostStops is how many texts may end an answer: a modelfile has some for its template, and clients send them all.
const mostStops = 64

// question is what a request asks, checked.
func (r *request) question() (serve.Question, *serve.Failure) {
	q := serve.Question{Temperature: r.Options.Temperature, TopP: r.Options.TopP, Stop: r.Options.Stop, Seed: rand.Uint64()}
	if fault := serve.CheckDraw(q.Temperature, q.TopP, q.Stop, mostStops); fault != nil {
		return q, fault
	}
	if r.Options.Seed != nil {
		q.Seed = uint64(*r.Options.Seed)
	}
	if n := r.Options.NumPredict; n != nil && *n > 0 {
		q.MaxTokens = min(*n, math.MaxInt32)
	}
	return q, nil
}

// hold holds the answer to the format that is asked for: the word json, or a schema.
func (r *request) hold(q *serve.Question, m *serve.Model) *serve.Failure {
	f := serve.Format{Type: "json_schema", Schema: r.Format}
	switch strings.TrimSpace(string(r.Format)) {
	case "", "null", `""`:
		return nil
	case `"json"`:
		f = serve.Format{Type: "json_object"}
	}
	return q.HoldTo(m, serve.Wish{Format: &f, Field: "format"})
}

// dialogue is the conversation of /api/chat.
func (r *request) dialogue() ([]team.Message, *serve.Failure) {
	var out []team.Message
	var open []string // ids of calls whose results have not come
	for i, m := range r.Messages {
		role, ok := serve.RoleOf(m.Role)
		calls, fault := m.calls(i)
		switch {
		case fault != nil:
			return nil, fault
		case !ok:
			return nil, serve.Bad("messages", "message %d has the role %.40q, expected system, user, assistant or tool", i, m.Role)
		case len(m.Images) > 0:
			return nil, serve.Bad("messages", "message %d has images, and models here read text alone", i)
		case len(calls) > 0 && role != team.Assistant:
			return nil, serve.Bad("messages", "message %d has tool_calls and is none of the assistant's", i)
		case role == team.Assistant && m.Content == "" && calls == nil: // which templates would print as an answer
			continue
		}
		said := team.Message{Role: role, Content: m.Content, ToolCalls: calls}
		for _, c := range calls {
			open = append(open, c.ID)
		}
		if role == team.Tool {
			said.Name = m.ToolName
			if len(open) > 0 {
				said.ToolCallID, open = open[0], open[1:]
			}
		}
		out = append(out, said)
	}
	if len(out) > 0 && out[len(out)-1].Role == team.Assistant {
		return nil, serve.Bad("messages", "the last message is the assistant's own: there is nothing to answer")
	}
	return out, nil
}

// calls are those of message i, with ids as templates want them.
func (m message) calls(i int) (out []chat.Call, fault *serve.Failure) {
	for j, c := range m.ToolCalls {
		if c.Function.Name == "" {
			return nil, serve.Bad("messages", "call %d of message %d has no name of a function", j, i)
		}
		out = append(out, chat.Call{ID: harness.CallID(uint64(i), j), Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
	}
	return out, nil
}

// single is the conversation of /api/generate: the prompt, below what the system says.
func (r *request) single() ([]team.Message, *serve.Failure) {
	switch {
	case len(r.Images) > 0:
		return nil, serve.Bad("images", "there are images, and models here read text alone")
	case r.Suffix != "":
		return nil, serve.Bad("suffix", "suffix is set, and texts are only continued here")
	case r.Prompt == "":
		return nil, nil
	}
	var out []team.Message
	if r.System != "" {
		out = append(out, team.Message{Role: team.System, Content: r.System})
	}
	return append(out, team.Message{Role: team.User, Content: r.Prompt}), nil
}

// thinks reports whether the answer has what a team says in its turns.
func (r *request) thinks() bool { return string(r.Think) != "false" }

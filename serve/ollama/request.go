package ollama

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"

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

	Messages []message `json:"messages"`

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
}

// A message is one of a conversation.
type message struct {
	Role      string          `json:"role"`
	Content   string          `json:"content"`
	Images    []string        `json:"images"`
	ToolCalls json.RawMessage `json:"tool_calls"`
}

// mostStops is how many texts may end an answer: a modelfile has some for its template, and clients send them all.
const mostStops = 64

// question is what a request asks, checked.
func (r *request) question() (serve.Question, *serve.Failure) {
	q := serve.Question{Temperature: r.Options.Temperature, TopP: r.Options.TopP, Stop: r.Options.Stop, Seed: rand.Uint64()}
	switch t, p := q.Temperature, q.TopP; {
	case t != nil && !(*t >= 0 && *t <= 2):
		return q, serve.Bad("temperature", "temperature is %g, expected 0 to 2", *t)
	case p != nil && !(*p > 0 && *p <= 1):
		return q, serve.Bad("top_p", "top_p is %g, expected more than 0 and at most 1", *p)
	}
	if len(q.Stop) > mostStops {
		return q, serve.Bad("stop", "stop has %d texts, expected at most %d", len(q.Stop), mostStops)
	}
	for _, text := range q.Stop {
		if text == "" {
			return q, serve.Bad("stop", "stop has an empty text, which would end every answer before it begins")
		}
		if n := len(text); n > serve.LongestStop {
			return q, serve.Bad("stop", "stop has a text of %d bytes, expected at most %d", n, serve.LongestStop)
		}
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
	schema := r.Format
	switch f := strings.TrimSpace(string(r.Format)); f {
	case "", "null", `""`:
		return nil
	case `"json"`:
		schema = json.RawMessage(serve.AnyObject)
	}
	text, err := serve.SchemaForm(schema)
	if err != nil {
		return serve.Bad("format", "format: %v", err)
	}
	return q.Hold(m, "format", text)
}

// dialogue is the conversation of /api/chat.
func (r *request) dialogue() ([]team.Message, *serve.Failure) {
	var out []team.Message
	for i, m := range r.Messages {
		role, ok := serve.RoleOf(m.Role)
		switch {
		case !ok:
			return nil, serve.Bad("messages", "message %d has the role %.40q, expected system, user, assistant or tool", i, m.Role)
		case len(m.Images) > 0:
			return nil, serve.Bad("messages", "message %d has images, and models here read text alone", i)
		case role == team.Assistant && m.Content == "": // it called a tool and said nothing
		case role == team.Tool: // tools are none of this protocol here
			out = append(out, team.Message{Role: team.User, Content: m.Content})
		default:
			out = append(out, team.Message{Role: role, Content: m.Content})
		}
	}
	if len(out) > 0 && out[len(out)-1].Role == team.Assistant {
		return nil, serve.Bad("messages", "the last message is the assistant's own: there is nothing to answer")
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

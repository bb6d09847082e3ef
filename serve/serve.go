// Package serve is what a server of parley answers with: teams, their agents, and models. Protocols are packages below; gate.go is what every request over
// HTTP passes.
//
//	serve.go    questions and answers
//	team.go     a team: what its agents say is its reasoning, what it agrees on is its answer
//	single.go   one speaker alone: an agent of a team, or a model
//	calls.go    calls of functions that the asker has and a model writes
//	forms.go    answers that have to be texts of a form, or calls
//
// Everything here is safe for concurrent use: requests share the engines (serve/chatsession).
package serve

import (
	"context"
	"encoding/json"

	"parley/engine"
	"parley/model/chat"
	"parley/serve/chatsession"
	"parley/team"
)

// A Question is a conversation that is to be answered. Fields that are nil, or 0, are as the run or the model has them.
type Question struct {
	Messages    []team.Message
	Temperature *float64
	TopP        *float64
	TopK        *int     // 0: no cut
	MaxTokens   int      // of each answer in it
	Stop        []string // texts that end an answer
	Seed        uint64   // the same seed gets the same answer
	Logits      chatsession.Logits
	// Tools are functions that a model may call, defined as OpenAI's protocol has them. The asker runs them.
	Tools []json.RawMessage
	// Form is what the answer is a text of, as package form reads it; empty: as the model's answers are. With Forced, which are the functions that it has, it is a call;
	// with Spared it need not be one.
	Form   string
	field  string // of the request that the form stands in
	Forced []chatsession.ForcedCall
	Spared bool
	// Continue says that the last message is the assistant's own, which a model goes on with.
	Continue bool
	// Which answer it is: of so many choices, counted from 0, of the response of an id, to a request with a seed of its own or none. Unforced says that the request would
	// have had it forced.
	Response        string
	Choice, Choices int
	Asked           *int64
	Unforced        bool
}

// A Listener is told what is said while it is said. Its errors end the work.
type Listener struct {
	// Turn is told which agent speaks next, and in which turn, from 1; nil: it is not told.
	Turn   func(agent string, turn int) error
	Reason func(text string) error // what the agents of a team say
	Say    func(text string) error // the answer
	// Call is told a forced call: first with its name, then a piece of its arguments at a time; nil: it is not told.
	Call func(c chat.Call) error
	// Token is told each token of a model's answer with its log-probability, before the text that becomes certain with it; nil: it is not told.
	Token func(id int, logprob float32)
}

// An Answer is what a question got.
type Answer struct {
	Reasoning string
	Text      string
	Written   string      // the text as it was written, with its calls; of several speakers empty
	Calls     []chat.Call // of the question's tools, behind the text
	Cut       bool        // the answer reached its limit of tokens
	Usage     Usage
	// Drawn are the tokens of the answer, where one model wrote it; else empty.
	Drawn engine.Sample
}

// Usage counts tokens.
type Usage struct {
	Prompt    int // of the conversation, as the first speaker reads it
	Drawn     int // by all speakers in all turns
	Reasoning int // of those, what is not in the answer
	Agents    []AgentUsage
}

// AgentUsage is what one agent of a team took.
type AgentUsage struct {
	Name   string `json:"name"`
	Prompt int    `json:"prompt_tokens"`
	Drawn  int    `json:"completion_tokens"`
}

// Sum adds up agents of one name.
func Sum(agents []AgentUsage) []AgentUsage {
	var out []AgentUsage
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

// An Answerer answers.
type Answerer interface {
	Answer(ctx context.Context, q Question, l Listener) (Answer, error)
}

// A Writer is an [Answerer] of one model, which also goes on with texts that are no conversation.
type Writer interface {
	Answerer
	Speaker() chatsession.Speaker
	Settings() chatsession.Settings
	// CheckForm says why no answer can be a text of a form.
	CheckForm(text string) error
	// Prompt is a question as token ids.
	Prompt(q Question) ([]int, error)
	// Tops calls each with the k most probable tokens that can come, or all for k = 0, at every place that prefixes ask about, i from 0 in each; with
	// logits, which k = 0 has none of, as these are changed.
	Tops(ctx context.Context, prefixes []engine.Prefix, k int, l chatsession.Logits, each func(prefix, i int, d engine.Distribution) error) error
}

// A Model is what clients ask for by its name.
type Model struct {
	ID          string
	Created     int64  // seconds since 1970
	Fingerprint string // of all that an answer depends on, but the request
	// Unforced says that forms and calls which requests want forced are left to the model, and that tools which it cannot call are refused: so are the agents of a
	// program asked while it trains them.
	Unforced bool
	Answerer
}

// LeastTemperature is below what a temperature is 0: logits that are divided by less are not numbers any more.
const LeastTemperature = 1e-5

// Temperature is one as it is drawn with.
func Temperature(asked float64) float64 {
	if asked < LeastTemperature {
		return 0
	}
	return asked
}

// LongestStop is the most bytes of a text that ends an answer: every token is compared with it.
const LongestStop = 4096

// With is s as the question wants it. A limit of tokens only lowers the one of s, which is what training knew.
func (q Question) With(s chatsession.Settings) chatsession.Settings {
	if q.Temperature != nil {
		s.Sampling.Temperature = Temperature(*q.Temperature)
	}
	if q.TopP != nil {
		s.Sampling.TopP = *q.TopP
	}
	if q.TopK != nil {
		s.Sampling.TopK = *q.TopK
	}
	if n := q.MaxTokens; n > 0 && (s.MaxTokens == 0 || n < s.MaxTokens) {
		s.MaxTokens = n
	}
	s.MinTokens = min(s.MinTokens, s.MaxTokens)
	if q.Form != "" {
		s.Form, s.MinTokens = q.Form, 0
	}
	if len(q.Stop) > 0 {
		s.Stop = append(s.Stop[:len(s.Stop):len(s.Stop)], q.Stop...)
	}
	s.Seed, s.Logits = q.Seed, q.Logits
	return s
}

// A QuestionError is one that the asker can repair, such as a conversation that the model's template refuses.
type QuestionError struct{ Err error }

func (e *QuestionError) Error() string { return e.Err.Error() }
func (e *QuestionError) Unwrap() error { return e.Err }

// RoleOf is who said a message, by the words that protocols have.
func RoleOf(word string) (role team.Role, ok bool) {
	switch word {
	case "system", "developer":
		return team.System, true
	case "user":
		return team.User, true
	case "tool":
		return team.Tool, true
	case "assistant":
		return team.Assistant, true
	}
	return role, false
}

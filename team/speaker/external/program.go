package external

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"parley/internal/service"
	"parley/team"
)

// program speaks by a command of the user's. A line asks:
//
//	{"id":7,"agent":"judge","messages":[{"role":"user","content":"…"}],"problem":{"id":"…","question":"…"},"seed":123}
//
// and one answers it: {"id":7,"text":"…"}, or {"id":7,"error":"…"}.
type program struct{ child *service.Program }

// Kind implements [team.Speaker].
func (p *program) Kind() string { return "program" }

type line struct {
	Agent    string              `json:"agent"`
	Messages []team.Message      `json:"messages"`
	Problem  team.SpeakerProblem `json:"problem"`
	Seed     int64               `json:"seed"`
}

// Speak implements [team.Speaker].
func (p *program) Speak(ctx context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	requests := make([]json.RawMessage, len(asks))
	for i, a := range asks {
		var err error
		if requests[i], err = plainJSON(line{a.Agent, a.Messages, a.Public(), a.Draw()}); err != nil {
			return nil, err
		}
	}
	answers, err := p.child.Ask(ctx, requests)
	if err != nil {
		return nil, err
	}
	replies := make([]team.Reply, len(asks))
	for i, a := range answers {
		if replies[i].Err = a.Err; a.Err == nil {
			replies[i].Text, replies[i].Err = textOf(a.Body)
		}
	}
	return replies, nil
}

// Close ends the program.
func (p *program) Close() error { return p.child.Close() }

// textOf reads an answer.
func textOf(body []byte) (string, error) {
	var a struct {
		Text *string `json:"text"`
	}
	switch err := json.Unmarshal(body, &a); {
	case err != nil:
		return "", errors.New(`expected {"id": …, "text": "…"}`)
	case a.Text == nil:
		return "", errors.New(`it has no "text"`)
	}
	return boundedText(*a.Text)
}

func hasText(body []byte) error {
	_, err := textOf(body)
	return err
}

// plainJSON leaves <, > and & as they are: programs of users show what they read.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

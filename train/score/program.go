package score

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"parley/internal/service"
	"parley/rl/verifier"
)

// A program is a user's program that scores answers. It is started once and talks JSON lines ([service.Program]): for each line
//
//	{"id":7,"question":"…","fields":{…},"answer":"…"}
//
// on its stdin it writes one on its stdout, in any order,
//
//	{"id":7,"score":0.93}      or      {"id":7,"error":"why there is none"}
//
// An answer that stays without a score after the retries has failed; so has one whose score is no number from 0 to 1. Its methods are safe for
// concurrent use.
type program struct{ child service.Program }

// newProgram returns a program that is started with its first answers. It may be silent for the deadline while answers wait, and is started
// again so many times for one batch of answers.
func newProgram(command []string, deadline time.Duration, retries int) *program {
	return &program{service.Program{Command: command, Deadline: deadline, Retries: retries, Check: hasScore}}
}

// question and reply are the lines of the protocol, but for the id.
type question struct {
	Question string            `json:"question"`
	Fields   map[string]string `json:"fields,omitempty"`
	Answer   string            `json:"answer"`
}

type reply struct {
	Score *float64 `json:"score"`
}

func hasScore(line []byte) error {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil || r.Score == nil {
		return errors.New(`neither "score", a number, nor "error"`)
	}
	return nil
}

// Score asks the program about all answers at once.
func (p *program) Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	requests := make([]json.RawMessage, len(answers))
	for i, a := range answers {
		var err error
		if requests[i], err = marshal(question{a.Problem.Question, a.Problem.Fields, a.Shown}); err != nil {
			return nil, err
		}
	}
	replies, err := p.child.Ask(ctx, requests)
	if err != nil {
		return nil, err
	}
	scores := make([]verifier.Score, len(answers))
	for i, r := range replies {
		scores[i] = scoreOf(r.Body, r.Err)
	}
	return scores, nil
}

// scoreOf reads a reply that has been checked.
func scoreOf(body []byte, err error) verifier.Score {
	var r reply
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		return verifier.Failed("%w", err)
	}
	return verifier.Checked(*r.Score)
}

// marshal leaves <, > and & as they are: programs of users show what they read.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Close ends the program.
func (p *program) Close() error { return p.child.Close() }

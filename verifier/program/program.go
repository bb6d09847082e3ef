// Package program asks a user's program for scores. The program is started once and talks JSON lines: for each line
//
//	{"id":7,"question":"…","fields":{…},"answer":"…"}
//
// on its stdin it writes one on its stdout, in any order,
//
//	{"id":7,"score":0.93}      or      {"id":7,"error":"why there is none"}
//
// A program that ends, that says nothing for longer than the deadline while answers wait, or that writes anything else is
// stopped and started again, and is asked once more what it has not answered. An answer that stays without a score after the
// retries has failed; so has one whose score is no number from 0 to 1.
package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/verifier"
)

// A Program is a program that scores answers. Its methods are safe for concurrent use.
type Program struct {
	Command  []string
	Deadline time.Duration // without any answer
	Retries  int           // starts of the program after the first, for one batch of answers

	mu    sync.Mutex
	child *child
	last  int // id
}

// question and reply are the lines of the protocol.
type question struct {
	ID       int               `json:"id"`
	Question string            `json:"question"`
	Fields   map[string]string `json:"fields,omitempty"`
	Answer   string            `json:"answer"`
}

type reply struct {
	ID    *int     `json:"id"`
	Score *float64 `json:"score"`
	Error string   `json:"error"`
}

// Score asks the program about all answers at once.
func (p *Program) Score(ctx context.Context, answers []verifier.Answer) ([]verifier.Score, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	scores := make([]verifier.Score, len(answers))
	waiting := map[int]int{} // id: index
	for i := range answers {
		p.last++
		waiting[p.last] = i
	}
	first := p.last - len(answers) + 1
	var failure error
	for attempt := 0; attempt <= p.Retries && len(waiting) > 0; attempt++ {
		if failure = p.attempt(ctx, answers, first, waiting, scores); failure != nil {
			p.stop()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for _, i := range waiting {
		scores[i] = verifier.Failed("%s: %w", p.Command[0], failure)
	}
	return scores, nil
}

// attempt asks what waits for an answer and takes answers until nothing waits; each leaves waiting.
func (p *Program) attempt(ctx context.Context, answers []verifier.Answer, first int, waiting map[int]int, scores []verifier.Score) error {
	if p.child == nil {
		var err error
		if p.child, err = start(p.Command); err != nil {
			return err
		}
	}
	lines, err := questions(answers, first, waiting)
	if err != nil {
		return err
	}
	p.child.ask(lines)
	timer := time.NewTimer(p.Deadline)
	defer timer.Stop()
	for len(waiting) > 0 {
		select {
		case line, more := <-p.child.lines:
			if !more {
				return p.child.end()
			}
			if err := take(line, waiting, scores); err != nil {
				return err
			}
			timer.Reset(p.Deadline)
		case <-timer.C:
			return fmt.Errorf("no answer within %v", p.Deadline)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// questions are the lines that ask what is waiting, in the order of the answers.
func questions(answers []verifier.Answer, first int, waiting map[int]int) ([]byte, error) {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for i, a := range answers {
		if _, asked := waiting[first+i]; !asked {
			continue
		}
		if err := enc.Encode(question{first + i, a.Problem.Question, a.Problem.Fields, a.Shown}); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// take reads one line of the program.
func take(line []byte, waiting map[int]int, scores []verifier.Score) error {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("it wrote %.80q, which is no JSON object: %w", line, err)
	}
	if r.ID == nil || r.Score == nil && r.Error == "" {
		return fmt.Errorf(`it wrote %.80q, which has no "id", or neither "score" nor "error"`, line)
	}
	i, asked := waiting[*r.ID]
	if !asked {
		return fmt.Errorf("it answered %d, which it was not asked, or has answered already", *r.ID)
	}
	delete(waiting, *r.ID)
	if r.Error != "" {
		scores[i] = verifier.Failed("the program says: %w", errors.New(r.Error))
	} else {
		scores[i] = verifier.Checked(*r.Score)
	}
	return nil
}

// stop ends the child, so that the next attempt starts another.
func (p *Program) stop() {
	if p.child != nil {
		p.child.kill()
		p.child = nil
	}
}

// Close ends the program.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
	return nil
}

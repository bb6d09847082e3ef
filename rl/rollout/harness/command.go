package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"parley/internal/bounded"
	"parley/internal/service"
	"parley/team"
)

// A command is a program of which each episode has a process of its own.
type command struct {
	h      *Harness
	words  []*bounded.Prompt
	ending sync.WaitGroup // processes of episodes that are over
}

func newCommand(h *Harness) (*command, error) {
	c := &command{h: h}
	for i, word := range h.settings.Command {
		t, err := bounded.ParsePrompt("team.harness.command", word)
		if err != nil {
			return nil, fmt.Errorf("team.harness.command[%d]: %w", i, team.TemplateError(err))
		}
		c.words = append(c.words, t)
	}
	return c, nil
}

// fill is the command of an episode.
func (c *command) fill(e *Live) ([]string, error) {
	sees := struct {
		Question string
		Fields   map[string]string
	}{e.ids.problem.Question, e.ids.problem.Fields}
	out := make([]string, len(c.words))
	for i, word := range c.words {
		var err error
		if out[i], err = word.Fill(sees); err != nil {
			return nil, fmt.Errorf("team.harness.command[%d]: %w", i, team.TemplateError(err))
		}
		if strings.ContainsRune(out[i], 0) {
			return nil, fmt.Errorf("team.harness.command[%d]: the problem has the character U+0000, which no argument may have", i)
		}
	}
	return out, nil
}

// play implements [program].
func (c *command) play(ctx context.Context, e *Live, begin []byte) said {
	words, err := c.fill(e)
	if err != nil {
		return said{err: err}
	}
	var out printed
	g, err := service.Start{
		Command: words, Dir: c.h.settings.Folder, Output: &out, Env: c.h.environment(e.url("/e/"+e.name+"/v1"), e.key, begin),
	}.Group()
	if err != nil {
		return said{err: err, unstarted: true}
	}
	g.Say(append(begin, '\n'), true)
	defer c.ending.Go(g.Stop)
	select {
	case <-ctx.Done():
		return said{err: ctx.Err(), output: out.String() + g.Errors()}
	case <-g.Ended():
	}
	s := said{err: g.Err()}
	if s.err == nil {
		s.result, s.err = out.result()
	}
	s.output = out.String() + g.Errors()
	return s
}

func (c *command) close() { c.ending.Wait() }

// printed is what a process writes to stdout: the end of it.
type printed struct {
	mu   sync.Mutex
	text []byte
	all  int // bytes
}

// longestResult is the most bytes of a result.
const longestResult = 1 << 20

// Write implements [io.Writer].
func (p *printed) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all += len(data)
	p.text = append(p.text, data...)
	if len(p.text) > 2*longestResult { // seldom, so that much output is not moved again and again
		p.text = append([]byte(nil), p.text[len(p.text)-longestResult:]...)
	}
	return len(data), nil
}

// String is the end of it for people.
func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	const shown = 16 << 10
	return strings.ToValidUTF8(string(p.text[max(0, len(p.text)-shown):]), "\uFFFD")
}

// result is the last line, where it is a result, or else all as the answer.
func (p *printed) result() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := bytes.TrimSpace(p.text)
	line := all[bytes.LastIndexByte(all, '\n')+1:]
	if isResult(line) {
		return line, nil
	}
	if p.all > len(p.text) || len(all) > longestAnswer {
		return nil, fmt.Errorf("it printed %d bytes that end with no result: an answer has at most %d", p.all, longestAnswer)
	}
	if err := service.Text(all); err != nil {
		return nil, fmt.Errorf("what it printed: %w", err)
	}
	return json.Marshal(map[string]string{"answer": string(all)})
}

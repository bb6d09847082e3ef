package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Kind says what the door has done with a request.
type Kind int

// What doors count.
const (
	Refused    Kind = iota // by a code
	Replayed               // answered again
	Unforced               // a form or a call was asked for, and not forced
	Overridden             // its sampling differs from the team's
)

// CodeOver is the code of requests that come behind the end of their episode.
const CodeOver = "episode_over"

// Metrics are what the episodes of an update are counted by.
type Metrics struct {
	Calls      map[string]float64 `json:"calls"`             // mean an episode, by agent
	Extends    *float64           `json:"extends,omitempty"` // share of calls that go on with an earlier one of the agent, of those that have one; nil: none has
	Replayed   int                `json:"replayed,omitempty"`
	Refused    map[string]int     `json:"refused,omitempty"`
	Unforced   int                `json:"unforced,omitempty"`
	Overridden int                `json:"overridden,omitempty"`

	Episodes int `json:"episodes"`
	Alike    int `json:"alike,omitempty"`   // problems whose episodes all ended with one answer though agents said different things in them
	Limited  int `json:"limited,omitempty"` // episodes that were refused calls because they had had all

	Timing Timing `json:"-"`
}

// A Timing is what is no function of recipe and seed.
type Timing struct {
	Seconds    Seconds `json:"seconds"`              // of an episode
	Waiting    float64 `json:"waiting"`              // seconds of calls before their first token, all together
	Left       int     `json:"left,omitempty"`       // answers that nobody fetched
	Late       int     `json:"late,omitempty"`       // requests that were refused because the episode was over
	Overlapped int     `json:"overlapped,omitempty"` // episodes of which some calls overlapped
}

// Seconds are those that episodes took.
type Seconds struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// counts are the metrics of updates that nobody has taken yet.
type counts struct {
	mu sync.Mutex
	of map[int]*count
}

// A count is what the metrics of an update are made of.
type count struct {
	Metrics
	Later  int     `json:"later"`  // calls with an earlier one of their agent
	Extend int     `json:"extend"` // of these, those that go on with one
	Timed  Timing  `json:"timed"`
	Took   float64 `json:"took"` // seconds, of all episodes
}

// Counted is what is counted of an update that nobody has taken yet, for [Harness.GoOn]; nil: nothing is.
func (h *Harness) Counted(update int) json.RawMessage {
	h.counts.mu.Lock()
	defer h.counts.mu.Unlock()
	c := h.counts.of[update]
	if c == nil {
		return nil
	}
	data, _ := json.Marshal(c) // numbers that are finite: it cannot fail
	return data
}

// GoOn goes on with what was counted of an update, of whose episodes a checkpoint has some.
func (h *Harness) GoOn(update int, counted json.RawMessage) error {
	c := newCount()
	if err := json.Unmarshal(counted, c); err != nil {
		return fmt.Errorf("counts of the team's program: %w", err)
	}
	h.counts.mu.Lock()
	defer h.counts.mu.Unlock()
	h.counts.of[update] = c
	return nil
}

func newCount() *count {
	return &count{Metrics: Metrics{Calls: map[string]float64{}, Refused: map[string]int{}}}
}

// Take returns the metrics of an update's training episodes, or of a trial's, and forgets them; nil: there were none.
func (h *Harness) Take(update int) *Metrics {
	h.counts.mu.Lock()
	defer h.counts.mu.Unlock()
	c := h.counts.of[update]
	if delete(h.counts.of, update); c == nil || c.Episodes == 0 {
		return nil
	}
	m := c.Metrics
	for name := range m.Calls {
		m.Calls[name] /= float64(m.Episodes)
	}
	m.Timing = c.Timed
	if m.Timing.Seconds.Mean = c.Took / float64(m.Episodes); c.Later > 0 {
		share := float64(c.Extend) / float64(c.Later)
		m.Extends = &share
	}
	return &m
}

// Trial is the purpose of a rollout of which nothing is learned, and that is counted as training is.
const Trial = "check"

// change counts something of an episode that is learned from, or of a trial.
func (c *counts) change(e *Live, f func(*count)) {
	if e.ids.purpose != "train" && e.ids.purpose != Trial {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[e.ids.update] == nil {
		c.of[e.ids.update] = newCount()
	}
	f(c.of[e.ids.update])
}

// door counts what the door has done.
func (c *counts) door(e *Live, kind Kind, code string) {
	c.change(e, func(m *count) {
		switch {
		case kind == Refused && code == CodeOver:
			m.Timed.Late++
		case kind == Refused:
			m.Refused[code]++
		case kind == Replayed:
			m.Replayed++
		case kind == Unforced:
			m.Unforced++
		case kind == Overridden:
			m.Overridden++
		}
	})
}

// episode counts one that is over, with so many calls.
func (c *counts) episode(e *Live, p playedEpisode, calls int, overlaps bool) {
	took := time.Since(e.began).Seconds()
	c.change(e, func(m *count) {
		m.Episodes++
		m.Took, m.Timed.Seconds.Max = m.Took+took, max(m.Timed.Seconds.Max, took)
		if m.Timed.Left += calls - len(p.calls); e.full {
			m.Limited++
		}
		if overlaps {
			m.Timed.Overlapped++
		}
		for _, a := range e.agents {
			m.Calls[a.Name] += 0 // who was never asked is in it as well
		}
		for i, call := range p.calls {
			m.Calls[e.agents[call.agent].Name]++
			m.Timed.Waiting += call.waited.Seconds()
			later, extends := goesOn(call, p.calls[:i])
			m.Later, m.Extend = m.Later+later, m.Extend+extends
		}
	})
}

// group counts a problem whose episodes were played side by side.
func (c *counts) group(played []playedEpisode) {
	if len(played) < 2 {
		return
	}
	said := map[string]bool{}
	for _, p := range played {
		if p.failed != "" || len(p.result.answers) == 0 || !slices.Equal(p.result.answers, played[0].result.answers) {
			return
		}
		var all strings.Builder
		for _, call := range p.calls {
			all.WriteString(call.completion.Text + "\x00")
		}
		said[all.String()] = true
	}
	if len(said) > 1 {
		c.change(played[0].live, func(m *count) { m.Alike++ })
	}
}

// goesOn says whether a call has an earlier one of its agent, and whether its prompt begins with the prompt and the tokens of one: 1 or 0 each.
func goesOn(c *Call, before []*Call) (later, extends int) {
	for _, b := range before {
		if b.agent != c.agent || len(c.ask.Prompt) == 0 {
			continue
		}
		later = 1
		from := len(b.ask.Prompt)
		if to := from + len(b.completion.Tokens); to <= len(c.ask.Prompt) &&
			slices.Equal(c.ask.Prompt[:from], b.ask.Prompt) && slices.Equal(c.ask.Prompt[from:to], b.completion.Tokens) {
			return 1, 1
		}
	}
	return later, 0
}

package together

import (
	"fmt"
	"strings"

	"parley/engine"
	"parley/systems/collab"
)

// A Written text is one that agents wrote together.
type Written struct {
	Problem string `json:"problem"`
	rated
	Tokens   []int  `json:"tokens"`
	Spans    []Span `json:"spans"` // who wrote which of them, in order
	Switches int    `json:"switches"`
	Rollouts int    `json:"rollouts"` // completions that were rewarded on the way

	Stop    engine.StopReason `json:"stop"`
	writers []int             // agent of each token
	costs   map[int]collab.Cost
	waited  int
}

// A Span are tokens behind each other that one agent wrote.
type Span struct {
	Agent  string `json:"agent"`
	Tokens int    `json:"tokens"`
	Text   string `json:"text"` // as it reads by itself
}

// spans says who wrote what.
func (t *Team) spans(w Written) (out []Span) {
	for from := 0; from < len(w.writers); {
		to := from + 1
		for to < len(w.writers) && w.writers[to] == w.writers[from] {
			to++
		}
		agent := w.writers[from]
		out = append(out, Span{Agent: t.names[agent], Tokens: to - from, Text: t.actors[agent].Codec.Text(w.Tokens[from:to])})
		from = to
	}
	return out
}

// Told is who wrote what, a line a span.
func (w Written) Told() string {
	wide := 0
	for _, s := range w.Spans {
		wide = max(wide, len(s.Agent))
	}
	var b strings.Builder
	for _, s := range w.Spans {
		text := fmt.Sprintf("%q", s.Text)
		if s.Text == "" {
			text = "(the end)"
		}
		fmt.Fprintf(&b, "%-*s  %s\n", wide, s.Agent, strings.ReplaceAll(text, `\\`, `\`))
	}
	return b.String()
}

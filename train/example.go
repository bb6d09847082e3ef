package train

import (
	"fmt"
	"strings"

	"parley/rollout"
)

// An Example is one recorded dialogue of a system, for people to read.
type Example struct {
	System   string   `json:"system"`
	Question string   `json:"question"`
	Truth    string   `json:"truth,omitempty"`
	Lines    []Spoken `json:"lines"`
}

// Spoken is one answer in an example.
type Spoken struct {
	Turn   int     `json:"turn"`  // from 1
	Agent  int     `json:"agent"` // from 1
	Text   string  `json:"text"`
	Right  bool    `json:"right"`
	Reward float64 `json:"reward"` // joint reward of the turn, for tasks that have one
}

func newExample(system string, e *rollout.Episode) Example {
	x := Example{System: system, Question: e.Problem.Question, Truth: e.Problem.Truth}
	for _, n := range e.Nodes {
		for _, agentTurn := range n.Agents {
			c := agentTurn.Completions[0]
			line := Spoken{Turn: n.Turn + 1, Agent: agentTurn.Agent + 1, Text: c.Text, Right: c.Correct}
			if len(n.Scored) > 0 {
				line.Reward = n.Scored[0].Reward
			}
			x.Lines = append(x.Lines, line)
		}
	}
	return x
}

// text prints an example with one indented block an answer.
func (x Example) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s\n", x.System, clip(x.Question, 300))
	for _, l := range x.Lines {
		mark := ""
		if x.Truth != "" {
			mark = map[bool]string{true: "  [right]", false: "  [wrong]"}[l.Right]
		}
		fmt.Fprintf(&b, "  turn %d, agent %d%s\n%s\n", l.Turn, l.Agent, mark, indent(clip(l.Text, 600), "    "))
	}
	if x.Truth != "" {
		fmt.Fprintf(&b, "  (the answer is %s)\n", x.Truth)
	}
	return b.String()
}

func indent(s, by string) string { return by + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+by) }

// clip shortens long texts at a rune boundary.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + " …"
}

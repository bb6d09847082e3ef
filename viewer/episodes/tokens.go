package episodes

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/rollout"
)

// Tokens are what one completion is made of.
type Tokens struct {
	TextKnown bool      `json:"text_known"` // false: the base is not on this machine
	Advantage float64   `json:"advantage"`
	Stop      string    `json:"stop"`
	Tokens    []Token   `json:"tokens"`
	Missing   []Missing `json:"missing"`
}

// A Token is one token of a completion. What is nil was not recorded.
type Token struct {
	ID       int      `json:"id"`
	Text     *string  `json:"text"`
	Special  bool     `json:"special"`
	Logprob  *float64 `json:"logprob"`
	Entropy  *float64 `json:"entropy"`
	KL       *float64 `json:"kl"`
	Ratio    *float64 `json:"ratio"`
	Clipped  *bool    `json:"clipped"`
	Inserted bool     `json:"inserted"`
}

// A Missing is a number that tokens do not have, and why.
type Missing struct {
	Field string `json:"field"`
	Why   string `json:"why"`
}

// A Vocabulary says what a token is. Its text may be a part of a character.
type Vocabulary interface {
	Piece(token int) (text []byte, special bool)
}

// Find returns a completion of an episode, played without one of the agents where solo says so.
func Find(e *rollout.Episode, solo bool, node, agent, completion int) (*rollout.AgentTurn, *rollout.Completion, error) {
	if solo {
		if e.Solo == nil {
			return nil, nil, &NoneError{"episode without one of the agents"}
		}
		e = e.Solo
	}
	if node < 0 || node >= len(e.Nodes) {
		return nil, nil, &NoneError{fmt.Sprintf("node %d", node)}
	}
	for k := range e.Nodes[node].Agents {
		a := &e.Nodes[node].Agents[k]
		if a.Agent == agent && completion >= 0 && completion < len(a.Completions) {
			return a, &a.Completions[completion], nil
		}
	}
	return nil, nil, &NoneError{fmt.Sprintf("answer %d of agent %d at node %d", completion, agent, node)}
}

// Strip is a completion token by token, what was inserted in its place. v is nil where the base is not here.
func Strip(c *rollout.Completion, v Vocabulary) *Tokens {
	out := &Tokens{TextKnown: v != nil, Advantage: finite(c.Advantage), Stop: string(c.Stop), Tokens: []Token{}}
	inserted := c.Inserted
	insert := func(at int) {
		for len(inserted) > 0 && inserted[0].At <= at {
			for _, id := range inserted[0].Tokens {
				t := token(id, v)
				t.Inserted = true
				out.Tokens = append(out.Tokens, t)
			}
			inserted = inserted[1:]
		}
	}
	for i, id := range c.Tokens {
		insert(i)
		t := token(id, v)
		if i < len(c.Logprobs) {
			t.Logprob = number(float64(c.Logprobs[i]))
		}
		out.Tokens = append(out.Tokens, t)
	}
	insert(len(c.Tokens))
	for _, name := range []string{"entropy", "kl", "ratio", "clipped"} {
		out.Missing = append(out.Missing, Missing{name, "a run does not record it for single tokens; metrics.jsonl has its mean"})
	}
	if v == nil {
		out.Missing = append(out.Missing, Missing{"text", "the base of this agent is not on this machine"})
	}
	return out
}

func token(id int, v Vocabulary) Token {
	t := Token{ID: id}
	if v != nil {
		text, special := v.Piece(id)
		t.Text, t.Special = new(Visible(text)), special
	}
	return t
}

// Visible writes the bytes of a token as text: those that are no characters as \xNN, control and direction marks as \u{…}, so that
// what is shown is what is there.
func Visible(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&out, `\x%02x`, b[0])
		case r == '\n' || r == '\t' || unicode.IsPrint(r) || r == ' ':
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, `\u{%x}`, r)
		}
		b = b[n:]
	}
	return out.String()
}

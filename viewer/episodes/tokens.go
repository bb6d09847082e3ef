package episodes

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/rl/rollout"
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
	ID        int      `json:"id"`
	Text      *string  `json:"text"`
	Special   bool     `json:"special"`
	Logprob   *float64 `json:"logprob"`
	Policy    *float64 `json:"policy"`
	Entropy   *float64 `json:"entropy"`
	Reference *float64 `json:"reference"`
	KL        *float64 `json:"kl"`
	Advantage *float64 `json:"advantage"`
	After     *float64 `json:"after"`
	Ratio     *float64 `json:"ratio"`
	Clipped   *bool    `json:"clipped"`
	Inserted  bool     `json:"inserted"`
}

// Derived is what a run does not record of the tokens of an answer, computed from its checkpoints (package tokens). Lists have a number for each
// token, or are empty.
type Derived struct {
	Policy    []float32 `json:"policy,omitempty"`    // log-probabilities under the policy before the update
	Entropy   []float64 `json:"entropy,omitempty"`   // of the distributions that the tokens were drawn from, under that policy, in nats
	Reference []float32 `json:"reference,omitempty"` // log-probabilities under the base
	KL        []float64 `json:"kl,omitempty"`        // terms of the run's own estimator, before its coefficient
	Advantage []float64 `json:"advantage,omitempty"`
	After     []float32 `json:"after,omitempty"`   // log-probabilities under the policy after the update
	Ratio     []float64 `json:"ratio,omitempty"`   // of probabilities, after the update over those that the tokens were drawn with
	Clipped   []bool    `json:"clipped,omitempty"` // a bound on the ratio would make a difference there
	Missing   []Missing `json:"missing,omitempty"`
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

// derivable are the fields of tokens that a run does not record.
var derivable = []string{"entropy", "kl", "ratio", "clipped"}

// Strip is a completion token by token, what was inserted in its place. v is nil where the base is not here, d where nothing was computed: then
// not says why.
func Strip(c *rollout.Completion, v Vocabulary, d *Derived, not string) *Tokens {
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
			t.Logprob = Number(float64(c.Logprobs[i]))
		}
		if d != nil {
			d.fill(&t, i)
		}
		out.Tokens = append(out.Tokens, t)
	}
	insert(len(c.Tokens))
	if d != nil {
		out.Missing = append([]Missing{}, d.Missing...)
	} else {
		for _, name := range derivable {
			out.Missing = append(out.Missing, Missing{name, not})
		}
	}
	if v == nil {
		out.Missing = append(out.Missing, Missing{"text", "the base of this agent is not on this machine"})
	}
	return out
}

// fill gives a token the numbers of its place.
func (d *Derived) fill(t *Token, i int) {
	t.Policy, t.Reference, t.After = at(d.Policy, i), at(d.Reference, i), at(d.After, i)
	t.Entropy, t.KL, t.Advantage, t.Ratio = at(d.Entropy, i), at(d.KL, i), at(d.Advantage, i), at(d.Ratio, i)
	if i < len(d.Clipped) {
		t.Clipped = &d.Clipped[i]
	}
}

func at[F float32 | float64](list []F, i int) *float64 {
	if i >= len(list) {
		return nil
	}
	return Number(float64(list[i]))
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

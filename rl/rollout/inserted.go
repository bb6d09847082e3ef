package rollout

import (
	"fmt"
	"slices"
)

// Inserted are tokens that an agent read within its turn and did not choose: results of what it called, and how its template says so.
type Inserted struct {
	At     int   `json:"at"` // how many of the agent's own tokens stand before them
	Tokens []int `json:"tokens"`
}

// A Call is what an agent called within its turn, and what came of it.
type Call struct {
	At        int    `json:"at"`                  // own tokens up to its end
	Name      string `json:"name,omitempty"`      // of the function; empty: it could not be read
	Arguments string `json:"arguments,omitempty"` // as JSON; of a call that could not be read, what was written
	Result    string `json:"result"`              // what the agent was told
	Failed    bool   `json:"failed,omitempty"`    // the result says what was wrong
}

// String is the call as people read it.
func (c Call) String() string {
	name := c.Name
	if name == "" {
		name = "a call that could not be read: "
	}
	return fmt.Sprintf("%s(%s) → %s", name, c.Arguments, c.Result)
}

// Sequence returns all that the model read behind the prompt, in order, and where in it the tokens are that the agent did not choose.
func (c *Completion) Sequence() (tokens []int, inserted [][2]int) {
	if len(c.Inserted) == 0 {
		return c.Tokens, nil
	}
	from := 0
	for _, in := range c.Inserted {
		tokens = append(tokens, c.Tokens[from:in.At]...)
		inserted = append(inserted, [2]int{len(tokens), len(tokens) + len(in.Tokens)})
		tokens, from = append(tokens, in.Tokens...), in.At
	}
	return append(tokens, c.Tokens[from:]...), inserted
}

// Said are the tokens that its text is of: where parts end with end tokens, those of the last part; else all. stop are the end tokens.
func (c *Completion) Said(stop []int) []int {
	if n := len(c.Inserted); n > 0 && slices.Contains(stop, c.Tokens[c.Inserted[n-1].At-1]) {
		return c.Tokens[c.Inserted[n-1].At:]
	}
	return c.Tokens
}

// Beginning are the tokens that the agent wrote before anything was inserted.
func (c *Completion) Beginning() []int {
	if len(c.Inserted) == 0 {
		return c.Tokens
	}
	return c.Tokens[:c.Inserted[0].At]
}

// checkInserted refuses tokens that do not stand between tokens of the agent, which are those that a completion begins and ends with.
func (c *Completion) checkInserted() error {
	before := 0
	for _, in := range c.Inserted {
		if in.At <= before || in.At >= len(c.Tokens) || len(in.Tokens) == 0 {
			return fmt.Errorf("%d tokens are inserted behind %d of %d", len(in.Tokens), in.At, len(c.Tokens))
		}
		before = in.At
	}
	return nil
}

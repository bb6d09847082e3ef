package bounded

import (
	"encoding/json"
	"fmt"
	"time"

	"go.starlark.net/starlark"
)

// between is how many steps are done between two looks at the clock.
const between = 256

// watched ends a thread that has used up its steps or its time.
func (l Limits) watched(t *starlark.Thread) {
	begun := time.Now()
	t.SetMaxExecutionSteps(min(between, l.Steps))
	t.OnMaxSteps = func(t *starlark.Thread) {
		switch done := t.ExecutionSteps(); {
		case done >= l.Steps:
			t.Cancel(fmt.Sprintf("%sit takes more than %d steps", tooManySteps, l.Steps))
		case time.Since(begun) > l.Time:
			t.Cancel(fmt.Sprintf("no answer within %v", l.Time))
		default:
			t.SetMaxExecutionSteps(min(done+between, l.Steps))
		}
	}
}

// freely is how many keys with one hash cost nothing: chance makes some.
const freely = 16

// A tally counts the different keys of a table by their hashes.
type tally struct {
	seen   map[any]bool
	hashes map[uint32]int
}

func newTally() tally { return tally{map[any]bool{}, map[uint32]int{}} }

func (c tally) count(key starlark.Value) {
	h, err := key.Hash()
	if err != nil {
		return
	}
	var same any = key.String()
	switch key.(type) {
	case starlark.String, starlark.Float, starlark.Bool:
		same = key
	}
	if !c.seen[same] {
		c.seen[same] = true
		c.hashes[h]++
	}
}

// alike takes what a table costs that is made of keys in one step: those with one hash are compared with each other.
func (a *account) alike(c tally) error {
	for _, n := range c.hashes {
		if n > freely {
			if err := a.times(n, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// tabled is what a table or a set costs that is made of its arguments, or gets them.
func tabled(a *account, _ starlark.Value, args []starlark.Value) error {
	for _, x := range args {
		if err := a.look(x); err != nil {
			return err
		}
		list, ok := x.(starlark.Iterable)
		if !ok {
			continue
		}
		keys := newTally()
		for entry := range starlark.Elements(list) {
			if pair, ok := entry.(starlark.Indexable); ok && pair.Len() == 2 { // of a table
				keys.count(pair.Index(0))
			}
			keys.count(entry)
		}
		if err := a.alike(keys); err != nil {
			return err
		}
	}
	return nil
}

// decoded is what a text of JSON holds. Its depth is bounded, and so are keys with one hash.
func decoded(a *account, _ starlark.Value, args []starlark.Value) error {
	for _, x := range args {
		if err := a.times(row, length(x)); err != nil {
			return err
		}
		if text, ok := starlark.AsString(x); ok {
			if err := a.json(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// json looks at depth and keys of a text, whether it is JSON or not.
func (a *account) json(text string) error {
	var tables []tally // of the brackets that are open
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if tables = append(tables, newTally()); len(tables) > mostDepth {
				return &Exhausted{Bytes: a.all, deep: true}
			}
		case ']', '}':
			if n := len(tables); n > 0 {
				if err := a.alike(tables[n-1]); err != nil {
					return err
				}
				tables = tables[:n-1]
			}
		case '"':
			end := closing(text, i)
			var key string
			if n := len(tables); n > 0 && follows(text[end:], ':') && json.Unmarshal([]byte(text[i:end]), &key) == nil {
				tables[n-1].count(starlark.String(key))
			}
			i = end - 1
		}
	}
	return nil
}

// closing is behind the text in quotes that begins at i.
func closing(text string, i int) int {
	for i++; i < len(text); i++ { // from the letter behind the first quote
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// follows reports that a text begins with a letter behind spaces.
func follows(text string, letter byte) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return text[i] == letter
		}
	}
	return false
}

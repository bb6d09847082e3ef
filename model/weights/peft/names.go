package peft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Names choose modules: either a list, whose entries are names or ends of names after a dot, or one pattern.
type Names struct {
	List    []string
	Pattern string // a regular expression for whole names, or all-linear; empty: the list counts
	re      *regexp.Regexp
}

// List makes names of a list.
func List(names ...string) Names { return Names{List: names} }

func (n *Names) allLinear() bool { return strings.EqualFold(n.Pattern, "all-linear") }

// exactly reports whether the list has the whole name of the module.
func (n *Names) exactly(module string) bool { return slices.Contains(n.List, module) }

func (n *Names) match(module string) bool {
	if n.re != nil {
		return n.re.MatchString(module)
	}
	return slices.ContainsFunc(n.List, func(t string) bool { return module == t || strings.HasSuffix(module, "."+t) })
}

func (n Names) String() string {
	if n.Pattern != "" {
		return n.Pattern
	}
	return strings.Join(n.List, ", ")
}

// UnmarshalJSON reads a list, a pattern or null.
func (n *Names) UnmarshalJSON(data []byte) error {
	*n = Names{}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
		return json.Unmarshal(data, &n.List)
	}
	if err := json.Unmarshal(data, &n.Pattern); err != nil || n.Pattern == "" || n.allLinear() {
		return err
	}
	var err error
	n.re, err = compile(`^(?:`, n.Pattern, `)$`)
	return err
}

// MarshalJSON writes what UnmarshalJSON reads.
func (n Names) MarshalJSON() ([]byte, error) {
	if n.Pattern != "" {
		return json.Marshal(n.Pattern)
	}
	return json.Marshal(n.List) // nil: null
}

// compile makes a Go expression of a Python one between two pieces. What Python knows and Go does not (look-around,
// back-references) is an error, and so is the little that both read differently.
func compile(before, python, after string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(before + python + after)
	if err == nil && (strings.Contains(python, "{,") || strings.Contains(python, "[:")) {
		err = fmt.Errorf("{,n} and [:class:] are ambiguous")
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %.200q is not understood (%w); write the names of the modules as a list, or a simpler expression", python, err)
	}
	return re, nil
}

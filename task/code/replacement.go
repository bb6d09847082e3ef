package code

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The kinds of what stands in the place of aux (methods of Answers in python/calls.py).
const (
	constantly  = "constant"  // one outcome, whatever is asked
	inSequence  = "sequence"  // the outcomes of another test, call by call
	itsArgument = "argument"  // an argument, given back
	perturbed   = "perturbed" // another value of the same type
)

const (
	mostConstants = 6 // outcomes of aux that are tried as constants
	mostArguments = 3
)

// replacements are what could stand in the place of aux: every group must have a way that fails a test.
func (s stage) replacements() [][]instead {
	groups := [][]instead{{{perturbed, 1}, {perturbed, 2}}}
	for _, c := range s.constants() {
		groups = append(groups, []instead{{constantly, c}})
	}
	for i := range min(mostArguments, s.arguments()) {
		if !s.reduces(i) {
			groups = append(groups, []instead{{itsArgument, i}})
		}
	}
	for _, i := range slices.Compact([]int{0, len(s.scenes) - 1}) {
		if answers := outcomes(s.scenes[i].aux()); s.tells(answers) {
			groups = append(groups, []instead{{inSequence, answers}})
		}
	}
	return groups
}

// constants are outcomes of aux, the first and the most frequent ones, and the simplest values of their type. None and exceptions are among
// them only where aux gives nothing else: a main that does without an answer may still need the answers that there are.
func (s stage) constants() []json.RawMessage {
	count := map[string]int{}
	var distinct []json.RawMessage
	for _, scene := range s.scenes {
		for _, a := range scene.aux() {
			if count[string(a[1])]++; count[string(a[1])] == 1 {
				distinct = append(distinct, a[1])
			}
		}
	}
	if real := slices.DeleteFunc(slices.Clone(distinct), func(o json.RawMessage) bool { return !returned(o) }); len(real) > 0 {
		distinct = real
	}
	slices.SortStableFunc(distinct[1:], func(a, b json.RawMessage) int { return count[string(b)] - count[string(a)] })
	list := distinct[:min(len(distinct), mostConstants)]
	for _, c := range simplest(list[0]) {
		if !slices.ContainsFunc(list, func(o json.RawMessage) bool { return bytes.Equal(o, c) }) {
			list = append(list, c)
		}
	}
	return list
}

// returned says whether an outcome is a value other than None.
func returned(outcome json.RawMessage) bool {
	var o struct {
		Value json.RawMessage `json:"value"`
		Args  json.RawMessage `json:"args"`
	}
	return json.Unmarshal(outcome, &o) == nil && (o.Value != nil && string(o.Value) != "null" || o.Args != nil)
}

// simplest are the simplest outcomes of the type of one.
func simplest(outcome json.RawMessage) []json.RawMessage {
	var o struct{ Value any }
	if json.Unmarshal(outcome, &o) != nil {
		return nil
	}
	var values []string
	switch v := o.Value.(type) {
	case bool:
		values = []string{"true", "false"}
	case float64:
		values = []string{"0.0", "1.0"}
	case string:
		values = []string{`""`}
	case map[string]any:
		for kind := range v {
			values = simplestOf[kind]
		}
	}
	list := make([]json.RawMessage, len(values))
	for i, v := range values {
		list[i] = json.RawMessage(`{"value": ` + v + `}`)
	}
	return list
}

// simplestOf is by the kinds of python/wire.py.
var simplestOf = map[string][]string{
	"int":   {`{"int": "0x0"}`, `{"int": "0x1"}`, `{"int": "-0x1"}`},
	"list":  {`{"list": []}`},
	"tuple": {`{"tuple": []}`},
	"set":   {`{"set": []}`},
	"dict":  {`{"dict": []}`},
}

// arguments is how many positional arguments the calls of aux have.
func (s stage) arguments() int {
	most := 0
	for _, a := range s.table {
		most = max(most, len(a.arguments()))
	}
	return most
}

// arguments are the positional ones of the call.
func (a answered) arguments() []json.RawMessage {
	var args struct{ Tuple []json.RawMessage }
	if json.Unmarshal(a[0], &[]any{&args}) != nil {
		return nil
	}
	return args.Tuple
}

// reduces says whether aux returns less than argument i is, such as one element of it. Then a main that passes with the argument shows that
// the tests cannot tell: the first element may be the least one in all of them.
func (s stage) reduces(i int) bool {
	return slices.ContainsFunc(s.table, func(a answered) bool {
		args := a.arguments()
		var o struct{ Value json.RawMessage }
		return i < len(args) && json.Unmarshal(a[1], &o) == nil && o.Value != nil && len(leaves(o.Value)) < len(leaves(args[i]))
	})
}

func outcomes(calls []answered) []json.RawMessage {
	list := make([]json.RawMessage, len(calls))
	for i, a := range calls {
		list[i] = a[1]
	}
	return list
}

// tells says whether answers in sequence tell something of the helper: they differ from its own somewhere, or every test asks the same, whose
// answers are as good as constants. Tests that ask the same but for how much, such as for all numbers up to one, are neither.
func (s stage) tells(sequence []json.RawMessage) bool {
	same := len(s.scenes) > 1
	for _, scene := range s.scenes {
		calls := scene.aux()
		for i, a := range calls {
			if !bytes.Equal(a[1], sequence[i%len(sequence)]) {
				return true
			}
		}
		same = same && slices.EqualFunc(calls, s.scenes[0].aux(), func(a, b answered) bool { return bytes.Equal(a[0], b[0]) })
	}
	return same
}

// handsOn says whether main does no more than hand its arguments on: in every test its outcome is that of a call of aux with the same
// arguments in the same order, and with what is added to them the same everywhere.
func handsOn(scenes []scene) bool {
	var added []string
	first := true
	for _, s := range scenes {
		for _, c := range s.calls {
			more, found := handed(c)
			if !found || !first && !slices.Equal(more, added) {
				return false
			}
			added, first = more, false
		}
	}
	return !first
}

// handed finds the call of aux that a call of main comes to, and what its arguments have more.
func handed(c passedCall) (more []string, found bool) {
	mine := leaves(c.question)
	for _, a := range c.aux {
		if !bytes.Equal(a[1], c.answer) {
			continue
		}
		theirs := leaves(a[0])
		for i := 0; i+len(mine) <= len(theirs); i++ {
			if slices.Equal(theirs[i:i+len(mine)], mine) {
				return slices.Concat(theirs[:i], theirs[i+len(mine):]), true
			}
		}
	}
	return nil, false
}

// leaves are the numbers, texts and other single values of arguments, in their order, whatever holds them.
func leaves(data json.RawMessage) []string {
	var list []json.RawMessage
	var one map[string]json.RawMessage
	switch {
	case json.Unmarshal(data, &list) == nil && list != nil:
	case json.Unmarshal(data, &one) == nil && one["int"] == nil && one["bytes"] == nil && one != nil:
		for _, content := range one {
			list = append(list, content)
		}
	default:
		return []string{string(data)}
	}
	var found []string
	for _, x := range list {
		found = append(found, leaves(x)...)
	}
	return found
}

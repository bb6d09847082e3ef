package code

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The kinds of what stands in the place of aux (methods of Answers in python/calls.py).
const (
	constantly     = "constant"      // one outcome, whatever is asked
	inSequence     = "sequence"      // the outcomes of another test, call by call
	itsArgument    = "argument"      // an argument, given back
	byAnotherTable = "table_instead" // the outcomes of other questions
	perturbed      = "perturbed"     // another value of the same type
)

const (
	mostConstants = 6 // outcomes of aux that are tried as constants
	mostArguments = 3
)

// replacements are what could stand in the place of aux: every group must have a way that fails a test.
func (s stage) replacements() [][]way {
	groups := [][]way{{s.by(perturbed, 1), s.by(perturbed, 2)}}
	for _, c := range s.constants() {
		groups = append(groups, []way{s.by(constantly, c)})
	}
	for i := range min(mostArguments, s.arguments()) {
		groups = append(groups, []way{s.by(itsArgument, i)})
	}
	if len(s.scenes) > 1 {
		for _, i := range slices.Compact([]int{0, len(s.scenes) - 1}) {
			groups = append(groups, []way{s.by(inSequence, outcomes(s.scenes[i].aux()))})
		}
	}
	if turned := s.turned(); turned != nil {
		groups = append(groups, []way{{turned, &instead{byAnotherTable, nil}}})
	}
	return groups
}

func (s stage) by(kind string, content any) way { return way{s.table, &instead{kind, content}} }

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
		var args struct{ Tuple []json.RawMessage }
		if json.Unmarshal(a[0], &[]any{&args}) == nil {
			most = max(most, len(args.Tuple))
		}
	}
	return most
}

func outcomes(calls []answered) []json.RawMessage {
	list := make([]json.RawMessage, len(calls))
	for i, a := range calls {
		list[i] = a[1]
	}
	return list
}

// turned is the table with the outcome of the next question that has another one, where the outcomes differ: what was equal stays equal.
func (s stage) turned() []answered {
	var distinct []json.RawMessage
	next := map[string]json.RawMessage{}
	for _, a := range s.table {
		if _, known := next[string(a[1])]; !known {
			next[string(a[1])] = nil
			distinct = append(distinct, a[1])
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	for i, o := range distinct {
		next[string(o)] = distinct[(i+1)%len(distinct)]
	}
	table := make([]answered, len(s.table))
	for i, a := range s.table {
		table[i] = answered{a[0], next[string(a[1])]}
	}
	return table
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

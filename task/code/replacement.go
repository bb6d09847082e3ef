package code

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// The kinds of what stands in the place of aux (methods of Answers in python/calls.py).
const (
	constantly  = "constant"  // one outcome, whatever is asked
	inSequence  = "sequence"  // the outcomes of another test, call by call
	itsArgument = "argument"  // an argument, given back: its number or its name
	perturbed   = "perturbed" // another value of the same type
)

const (
	mostConstants = 6 // outcomes of aux that are tried as constants
	mostArguments = 8 // that are tried in the place of the outcome
)

// replacements are what could stand in the place of aux: every group must have a way that fails a test.
func (s stage) replacements() [][]instead {
	groups := [][]instead{{{perturbed, 1}, {perturbed, 2}}}
	for _, c := range s.constants() {
		groups = append(groups, []instead{{constantly, c}})
	}
	for _, p := range s.places() {
		if !s.reduces(p) {
			groups = append(groups, []instead{{itsArgument, p}})
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

// An argument of a call has a place, its number or its name, and a value.
type argument struct {
	place any
	value json.RawMessage
}

// argumentsOf are those of all calls.
func argumentsOf(table []answered) [][]argument {
	list := make([][]argument, len(table))
	for i, a := range table {
		var args struct{ Tuple []json.RawMessage }
		var named struct{ Dict [][2]json.RawMessage }
		if json.Unmarshal(a[0], &[]any{&args, &named}) != nil {
			continue
		}
		for n, v := range args.Tuple {
			list[i] = append(list[i], argument{n, v})
		}
		for _, pair := range named.Dict {
			var name string
			if json.Unmarshal(pair[0], &name) == nil {
				list[i] = append(list[i], argument{name, pair[1]})
			}
		}
	}
	return list
}

// places are those of the first arguments of aux, and of others that it hands back in every call.
func (s stage) places() []any {
	var list []any
	for _, args := range s.asked {
		for _, a := range args {
			if len(list) < mostArguments && !slices.Contains(list, a.place) {
				list = append(list, a.place)
			}
		}
	}
	for _, a := range s.asked[0] {
		if !slices.Contains(list, a.place) && s.handsBack(a.place) {
			list = append(list, a.place)
		}
	}
	return list
}

// handsBack says whether the outcome of every call is the argument at a place.
func (s stage) handsBack(place any) bool {
	for i := range s.table {
		result := s.table[i].result()
		if result == nil || !slices.ContainsFunc(s.asked[i], func(a argument) bool { return a.place == place && bytes.Equal(a.value, result) }) {
			return false
		}
	}
	return true
}

// repacks says whether the outcome of every call is its only argument, a single number or text, in another container or in none.
func (s stage) repacks() bool {
	for i := range s.table {
		result := s.table[i].result()
		if result == nil || len(s.asked[i]) != 1 {
			return false
		}
		if one := leaves(s.asked[i][0].value); len(one) != 1 || !slices.Equal(one, leaves(result)) {
			return false
		}
	}
	return true
}

// result is what the helper returned; nil: it raised an exception.
func (a answered) result() json.RawMessage {
	var o struct{ Value json.RawMessage }
	if json.Unmarshal(a[1], &o) != nil {
		return nil
	}
	return o.Value
}

// reduces says whether aux returns less than the argument at a place is, such as one element of it. Then a main that passes with the argument
// shows that the tests cannot tell: the first element may be the least one in all of them.
func (s stage) reduces(place any) bool {
	for i := range s.table {
		result := s.table[i].result()
		if result == nil {
			continue
		}
		size := len(leaves(result))
		if slices.ContainsFunc(s.asked[i], func(a argument) bool { return a.place == place && size < len(leaves(a.value)) }) {
			return true
		}
	}
	return false
}

func outcomes(calls []answered) []json.RawMessage {
	list := make([]json.RawMessage, len(calls))
	for i, a := range calls {
		list[i] = a[1]
	}
	return list
}

// tells says whether answers in sequence tell something of the helper: they differ from its own somewhere, or they are the same in every test,
// whatever is asked, and so as good as constants. They tell nothing where there is one test alone, or where the tests differ only in how much
// they ask for, such as all numbers up to a bound.
func (s stage) tells(sequence []json.RawMessage) bool {
	first := s.scenes[0].aux()
	others, longer := false, false
	for _, scene := range s.scenes {
		calls := scene.aux()
		for i, a := range calls {
			if !bytes.Equal(a[1], sequence[i%len(sequence)]) {
				return true
			}
			others = others || i < len(first) && !bytes.Equal(a[0], first[i][0])
		}
		longer = longer || len(calls) != len(first)
	}
	return len(s.scenes) > 1 && (others || !longer)
}

// handsOn says whether main does no more than hand its arguments on: in every test its outcome is that of a call of aux with the same arguments
// in the same order, and what is added to them is everywhere the same, or one of main's own arguments once more.
func handsOn(scenes []scene) bool {
	var added []map[string]bool
	first := true
	for _, s := range scenes {
		for _, c := range s.calls {
			more, found := handed(c)
			if !found || !first && len(more) != len(added) {
				return false
			}
			for i, sources := range more {
				if first {
					added = append(added, sources)
				} else if maps.DeleteFunc(added[i], func(source string, _ bool) bool { return !sources[source] }); len(added[i]) == 0 {
					return false
				}
			}
			first = false
		}
	}
	return !first
}

// handed finds the call of aux that a call of main comes to, and where what its arguments have more may be from: a constant, or an argument of
// main's.
func handed(c passedCall) (more []map[string]bool, found bool) {
	mine := leaves(c.question)
	for _, a := range c.aux {
		if !bytes.Equal(a[1], c.answer) {
			continue
		}
		theirs := leaves(a[0])
		for i := 0; i+len(mine) <= len(theirs); i++ {
			if slices.Equal(theirs[i:i+len(mine)], mine) {
				for _, x := range slices.Concat(theirs[:i], theirs[i+len(mine):]) {
					more = append(more, sources(x, mine))
				}
				return more, true
			}
		}
	}
	return nil, false
}

// sources are the value itself, and the numbers of those among main's own that are the same.
func sources(x string, mine []string) map[string]bool {
	found := map[string]bool{"=" + x: true}
	for i, m := range mine {
		if m == x {
			found[strconv.Itoa(i)] = true
		}
	}
	return found
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

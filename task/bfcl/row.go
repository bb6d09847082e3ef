package bfcl

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// Fields of a problem.
const (
	fieldFunctions = "functions" // one a line, as the row declares it
	fieldShare     = "share"
	fieldTruth     = "ground_truth" // for the scorer alone
)

// A function is one that may be called.
type function struct {
	name       string
	required   []string
	order      []string // of positional arguments
	parameters map[string]parameter
}

// A parameter has a type of Python's.
type parameter struct {
	kind, items string // as [kind] names them; items of arrays, empty: anything
	float       bool   // whole numbers pass too
}

// wanted is an asked call, with the accepted values of each argument; "" among them: it may be left out.
type wanted struct {
	name     string
	accepted map[string][]any
}

// readQuestion reads a row without its answers.
func readQuestion(line int, record []byte) (p task.Problem, err error) {
	r, err := dataset.ParseRecord(record)
	if err != nil {
		return p, err
	}
	p.Fields = map[string]string{}
	if p.ID, err = r.Text("id"); err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = fmt.Sprint("line-", line)
	}
	if p.Question, err = asks(r.Value("question")); err != nil {
		return p, err
	}
	declared, err := r.Records("function")
	if err == nil && len(declared) == 0 {
		err = r.Missing("function")
	}
	if err != nil {
		return p, err
	}
	p.Fields[fieldFunctions], err = compact(r.Value("function"))
	if err == nil {
		_, err = functionsOf(p)
	}
	return p, err
}

// compact writes the objects of a list, one a line.
func compact(list json.RawMessage) (lines string, err error) {
	var all []json.RawMessage
	if err := json.Unmarshal(list, &all); err != nil {
		return "", err
	}
	var out []string
	for _, one := range all {
		text, err := json.Marshal(one) // without white space between its parts
		if err != nil {
			return "", err
		}
		out = append(out, string(text))
	}
	return strings.Join(out, "\n"), nil
}

// answer adds the asked calls of a record to a problem.
func answer(p task.Problem, record []byte) (task.Problem, error) {
	r, err := dataset.ParseRecord(record)
	if err != nil {
		return p, err
	}
	p.Fields[fieldTruth] = string(r.Value(fieldTruth))
	functions, err := functionsOf(p)
	if err == nil {
		_, err = askedOf(p, functions)
	}
	return p, err
}

// asks is what the user says: a text, messages, or a list of turns with messages.
func asks(question json.RawMessage) (text string, err error) {
	type message struct{ Role, Content string }
	var turns [][]message
	if json.Unmarshal(question, &text) != nil && json.Unmarshal(question, &turns) != nil {
		turns = make([][]message, 1)
		if json.Unmarshal(question, &turns[0]) != nil {
			return "", errors.New(`question: write a text, or messages such as [[{"role": "user", "content": "…"}]]`)
		}
	}
	said := []string{text}
	for _, m := range slices.Concat(turns...) {
		if m.Role == "user" {
			said = append(said, m.Content)
		}
	}
	if text = strings.TrimSpace(strings.Join(said, "\n\n")); text == "" {
		return "", errors.New(`question: there is no message of the user: write "question": "…"`)
	}
	return text, nil
}

// functionsOf are the functions of a problem.
func functionsOf(p task.Problem) (list []function, err error) {
	for i, line := range strings.Split(p.Fields[fieldFunctions], "\n") {
		f, err := readFunction([]byte(line))
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i+1, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// kinds are the types that a declaration may name.
var kinds = map[string]string{
	"string": "string", "any": "string", "integer": "integer", "float": "float", "boolean": "boolean", "array": "array", "tuple": "array", "dict": "dict",
}

func readFunction(line []byte) (f function, err error) {
	r, err := dataset.ParseRecord(line)
	if err != nil {
		return f, err
	}
	if f.name, err = r.Required("name"); err != nil {
		return f, err
	}
	if f.required, err = r.Texts("parameters.required"); err != nil {
		return f, err
	}
	f.order, f.parameters = slices.Clone(f.required), map[string]parameter{}
	parameters, _ := r.Object("parameters")
	properties, ok := parameters.Object("properties")
	if !ok && !parameters.Null("properties") {
		return f, fmt.Errorf("%s: its properties are no object", f.name)
	}
	for _, name := range properties.Keys() {
		property, _ := properties.Object(name)
		if f.parameters[name], err = readParameter(property); err != nil {
			return f, fmt.Errorf("%s: parameter %s: %w", f.name, name, err)
		}
		if !slices.Contains(f.order, name) {
			f.order = append(f.order, name)
		}
	}
	return f, nil
}

func readParameter(r dataset.Record) (p parameter, err error) {
	of, items := r.Plain("type"), r.Plain("items.type")
	p = parameter{kinds[of], kinds[items], of == "float"}
	switch {
	case p.kind == "":
		err = fmt.Errorf("type is %q: write one of %s", of, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	case p.kind != "array":
		p.items = ""
	case p.items == "" && items != "":
		err = fmt.Errorf("the type of its items is %q: write one of %s", items, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return p, err
}

// askedOf are the asked calls of a problem.
func askedOf(p task.Problem, functions []function) (asked []wanted, err error) {
	v, err := readJSON([]byte(p.Fields[fieldTruth]))
	list, _ := v.([]any)
	if err != nil || len(list) == 0 {
		return nil, errors.New(`ground_truth: write a list of calls such as [{"name": {"argument": ["accepted", "accepted too"]}}]`)
	}
	for i, one := range list {
		w, err := readWanted(one)
		if err == nil && !slices.ContainsFunc(functions, func(f function) bool { return f.name == w.name }) {
			err = fmt.Errorf("%s is none of the functions", w.name)
		}
		if err != nil {
			return nil, fmt.Errorf("ground_truth, call %d: %w", i+1, err)
		}
		asked = append(asked, w)
	}
	return asked, nil
}

func readWanted(v any) (w wanted, err error) {
	object, _ := v.(map[string]any)
	for name, v := range object {
		arguments, ok := v.(map[string]any)
		if !ok || len(object) != 1 {
			break
		}
		w = wanted{name, map[string][]any{}}
		for argument, v := range arguments {
			list, ok := v.([]any)
			if !ok || len(list) == 0 {
				return w, fmt.Errorf("argument %s: write the list of its accepted values", argument)
			}
			w.accepted[argument] = list
		}
		return w, nil
	}
	return w, errors.New(`write an object of one name, {"name": {"argument": ["accepted"]}}`)
}

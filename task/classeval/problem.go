package classeval

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"parley/task"
	"parley/task/dataset/jsonl"
)

// Fields of a problem beside its question, which is the skeleton of the class.
const (
	FieldClass   = "class"     // its name
	FieldMethods = "methods"   // names of all its methods, with commas
	FieldFirst   = "methods_1" // those assigned to the first agent of a pair
	FieldSecond  = "methods_2" // those assigned to the second
	FieldItem    = "item"      // what the scorer needs, in JSON; not for prompts

	FieldSolution = "solution" // a class that is known to be right, where there is one; not for prompts
)

// An item is what the scorer needs of a record.
type item struct {
	Class       string   `json:"class"`
	Constructor string   `json:"constructor"` // the class statement with what is given of its body
	Imports     []string `json:"imports"`
	Methods     []string `json:"methods"`
	Tests       string   `json:"tests"`
}

// record is one line of the data set.
type record struct {
	TaskID      string   `json:"task_id"`
	Skeleton    string   `json:"skeleton"`
	Test        string   `json:"test"`
	Imports     []string `json:"import_statement"`
	Class       string   `json:"class_name"`
	Constructor string   `json:"class_constructor"`
	Methods     []struct {
		Name        string `json:"method_name"`
		Description string `json:"method_description"`
	} `json:"methods_info"`
	Solution string `json:"solution_code"`
}

// Read reads problems from JSON lines, plain or compressed. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return jsonl.Problems(name, r, func(_ int, data []byte) (task.Problem, error) {
		p, err := ReadProblem(data)
		if err == nil {
			p.AddRow(data)
		}
		return p, err
	})
}

// ReadProblem reads one record.
func ReadProblem(data []byte) (task.Problem, error) {
	var rec record
	if err := json.Unmarshal(data, &rec); err != nil {
		return task.Problem{}, err
	}
	switch {
	case strings.TrimSpace(rec.Skeleton) == "":
		return task.Problem{}, errors.New("no skeleton")
	case rec.Class == "" || rec.Constructor == "":
		return task.Problem{}, errors.New("no class_name or no class_constructor")
	case len(rec.Methods) == 0:
		return task.Problem{}, errors.New("methods_info lists no methods")
	}
	it := item{Class: rec.Class, Constructor: rec.Constructor, Imports: rec.Imports, Tests: rec.Test}
	var parameters []int
	for _, m := range rec.Methods {
		it.Methods = append(it.Methods, m.Name)
		parameters = append(parameters, countParameters(m.Description))
	}
	first, second := assign(it.Methods, parameters)
	text, err := json.Marshal(it)
	p := task.Problem{ID: rec.TaskID, Question: rec.Skeleton, Fields: map[string]string{
		FieldClass: rec.Class, FieldItem: string(text),
		FieldMethods: strings.Join(it.Methods, ", "), FieldFirst: strings.Join(first, ", "), FieldSecond: strings.Join(second, ", "),
	}}
	if rec.Solution != "" {
		p.Fields[FieldSolution] = rec.Solution
	}
	return p, err
}

// assign gives methods with one parameter, self included, to the first agent and the others to the second (§8). Where that would
// leave one with nothing, they take turns.
func assign(methods []string, parameters []int) (first, second []string) {
	for i, m := range methods {
		if parameters[i] == 1 {
			first = append(first, m)
		} else {
			second = append(second, m)
		}
	}
	if len(methods) < 2 || len(first) > 0 && len(second) > 0 {
		return first, second
	}
	first, second = nil, nil
	for i, m := range methods {
		if i%2 == 0 {
			first = append(first, m)
		} else {
			second = append(second, m)
		}
	}
	return first, second
}

// head matches the def line of a method, whose parameters hold no brackets of their own but for annotations and defaults.
var head = regexp.MustCompile(`def\s+\w+\s*\(`)

// countParameters counts the parameters of a method by the commas of its def line that stand in no brackets or quotes.
func countParameters(description string) int {
	at := head.FindStringIndex(description)
	if at == nil {
		return 0
	}
	depth, count, named := 1, 0, false
	var quote rune
	for _, c := range description[at[1]:] {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 1:
			named = false
		case depth == 1 && !named && c > ' ':
			count, named = count+1, true
		}
		if depth == 0 {
			break
		}
	}
	return count
}

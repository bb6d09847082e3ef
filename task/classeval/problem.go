package classeval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
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

// Read reads problems from JSON lines, plain or packed. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, task.Rows(ReadProblem))
}

// ReadProblem reads one record.
func ReadProblem(data []byte) (p task.Problem, err error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return p, err
	}
	var errs []error
	text := func(read func(string) (string, error), key string) string {
		s, err := read(key)
		errs = append(errs, err)
		return s
	}
	p.ID, p.Question = text(r.Text, "task_id"), text(r.Required, "skeleton")
	it := item{Class: text(r.Required, "class_name"), Constructor: text(r.Required, "class_constructor"), Tests: text(r.Text, "test")}
	it.Imports, err = r.Texts("import_statement")
	solution := text(r.Text, "solution_code")
	if err := errors.Join(append(errs, err)...); err != nil {
		return task.Problem{}, err
	}
	first, second, err := methods(r, &it)
	if err != nil {
		return task.Problem{}, err
	}
	encoded, err := json.Marshal(it)
	p.Fields = map[string]string{
		FieldClass: it.Class, FieldItem: string(encoded),
		FieldMethods: strings.Join(it.Methods, ", "), FieldFirst: strings.Join(first, ", "), FieldSecond: strings.Join(second, ", "),
	}
	if solution != "" {
		p.Fields[FieldSolution] = solution
	}
	return p, err
}

// methods reads the names of the methods and shares them out among two.
func methods(r dataset.Record, it *item) (first, second []string, err error) {
	list, err := r.Records("methods_info")
	if err != nil {
		return nil, nil, err
	}
	var parameters []int
	for _, m := range list {
		name, err := m.Required("method_name")
		if err != nil {
			return nil, nil, fmt.Errorf("methods_info: %w", err)
		}
		description, err := m.Text("method_description")
		if err != nil {
			return nil, nil, fmt.Errorf("methods_info: %w", err)
		}
		it.Methods, parameters = append(it.Methods, name), append(parameters, countParameters(description))
	}
	if len(it.Methods) == 0 {
		return nil, nil, errors.New("methods_info lists no methods")
	}
	first, second = assign(it.Methods, parameters)
	return first, second, nil
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

// damage lists items whose reference solutions cannot pass in the sandbox: a reward there says little about a model.
var damage = map[int]string{
	17: "a test takes a day of 2024 for a day in the future",
	25: "a test reads the file that another one wrote",
	48: "a test wants the host name of the authors' machine",
	28: needs("pandas"), 30: needs("numpy"), 34: needs("python-docx"), 38: needs("openpyxl"), 44: needs("gensim and beautifulsoup4"),
	45: needs("Pillow"), 51: needs("numpy"), 52: needs("nltk"), 57: needs("numpy"), 59: needs("numpy"), 69: needs("PyPDF2 and reportlab"),
	93: needs("numpy and gensim"),
}

func needs(packages string) string { return "it needs " + packages }

// Damage says why an item's reference solution cannot pass in the sandbox; empty: it does.
func Damage(id string) string { return damage[number(id)] }

// entangled says whether the tests of an item hand over objects of their own that the class works on, mocks and trees of XML elements: under
// the robust scorer, where class and test are apart, its reference solution does not pass them all.
func entangled(id string) bool { return slices.Contains([]int{84, 98}, number(id)) }

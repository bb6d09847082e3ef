package code

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// Fields of a problem beside its question, which is the prompt of the data set.
const (
	FieldEntry     = "entry"     // name of the asked function
	FieldSignature = "signature" // its def line
	FieldTests     = "tests"     // what it is tested with; not for prompts
	FieldSolution  = "solution"  // a program that is known to be right, where there is one; not for prompts
)

// fields are those of one record in either form. HumanEval: prompt, entry_point, test or tests, canonical_solution. MBPP: text or prompt,
// code, test_list, test_imports or test_setup_code.
type fields struct {
	id, prompt, entry, test, canonical, text, code, setup string
	tests, imports                                        []string
}

// Read reads problems from JSON lines, plain or packed, in the form of HumanEval or of MBPP. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, task.Rows(ReadProblem))
}

// read takes the fields out of a record.
func read(r dataset.Record) (f fields, err error) {
	var errs []error
	text := func(keys ...string) string {
		s, err := r.First(keys...)
		errs = append(errs, err)
		return s
	}
	f = fields{
		id: text("task_id"), prompt: text("prompt"), entry: text("entry_point"), test: text("test", "tests"), canonical: text("canonical_solution"),
		text: text("text"), code: text("code"), setup: text("test_setup_code"),
	}
	f.tests, err = r.Texts("test_list")
	errs = append(errs, err)
	f.imports, err = r.Texts("test_imports")
	return f, errors.Join(append(errs, err)...)
}

// ReadProblem reads one problem from JSON in either form.
func ReadProblem(data []byte) (task.Problem, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return task.Problem{}, err
	}
	rec, err := read(r)
	if err != nil {
		return task.Problem{}, err
	}
	if len(rec.tests) > 0 {
		if err := rec.fromMBPP(); err != nil {
			return task.Problem{}, err
		}
	} else if rec.canonical != "" {
		rec.code = rec.prompt + rec.canonical
	}
	switch {
	case strings.TrimSpace(rec.prompt) == "":
		return task.Problem{}, r.Missing("prompt")
	case rec.entry == "":
		return task.Problem{}, errors.New("no entry_point: write the name of the asked function")
	}
	p := task.Problem{ID: rec.id, Question: rec.prompt, Fields: map[string]string{
		FieldEntry:     rec.entry,
		FieldSignature: signature(rec.prompt, rec.entry), FieldTests: rec.test,
	}}
	if rec.code != "" {
		p.Fields[FieldSolution] = rec.code
	}
	return p, nil
}

// called matches the first function that an assertion calls, but for wrappers of its result.
var called = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)

// fromMBPP fills in what HumanEval's form has. The tests keep their text: the name of the asked function is bound to the
// candidate first.
func (r *fields) fromMBPP() error {
	r.code = strings.ReplaceAll(r.code, "\r\n", "\n")
	for _, m := range called.FindAllStringSubmatch(r.tests[0], -1) {
		if definition(r.code, m[1]) != "" {
			r.entry = m[1]
			break
		}
	}
	if r.entry == "" {
		return errors.New("the first of test_list calls no function of code")
	}
	if r.text == "" {
		r.text = r.prompt
	}
	r.prompt = fmt.Sprintf("%s\n    '''%s\n    '''\n", definition(r.code, r.entry), strings.TrimSpace(r.text))
	lines := append(r.imports[:len(r.imports):len(r.imports)], r.entry+" = candidate")
	if setup := strings.ReplaceAll(r.setup, "\r\n", "\n"); setup != "" {
		lines = append(lines, setup)
	}
	for _, t := range r.tests {
		lines = append(lines, strings.ReplaceAll(t, "\r\n", "\n"))
	}
	r.test = strings.Join(lines, "\n")
	return nil
}

// definition returns the def line of a function in Python source, without its indentation; empty: there is none.
func definition(source, name string) string {
	re := regexp.MustCompile(`(?m)^[ \t]*def\s+` + regexp.QuoteMeta(name) + `\s*\(([^\n]*)`)
	found := re.FindStringSubmatch(source)
	if found == nil {
		return ""
	}
	parameters := found[1]
	if i := strings.LastIndex(parameters, ":"); i >= 0 {
		parameters = parameters[:i+1]
	}
	return "def " + name + "(" + strings.TrimSpace(parameters)
}

func signature(prompt, entry string) string {
	if line := definition(prompt, entry); line != "" {
		return line
	}
	return "def " + entry + "(...):"
}

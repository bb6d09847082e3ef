package code

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"parley/task"
	"parley/task/dataset/jsonl"
)

// Fields of a problem beside its question, which is the prompt of the data set.
const (
	FieldEntry     = "entry"     // name of the asked function
	FieldSignature = "signature" // its def line
	FieldTests     = "tests"     // what it is tested with; not for prompts
	FieldSolution  = "solution"  // a program that is known to be right, where there is one; not for prompts
)

// record is one line of either form. HumanEval: prompt, entry_point, test, canonical_solution. MBPP: text or prompt, code,
// test_list, test_imports or test_setup_code.
type record struct {
	TaskID      any      `json:"task_id"`
	Prompt      string   `json:"prompt"`
	Entry       string   `json:"entry_point"`
	Test        string   `json:"test"`
	Tests       string   `json:"tests"` // another name of test
	Canonical   string   `json:"canonical_solution"`
	Text        string   `json:"text"`
	Code        string   `json:"code"`
	TestList    []string `json:"test_list"`
	TestImports []string `json:"test_imports"`
	TestSetup   string   `json:"test_setup_code"`
}

// Read reads problems from JSON lines, plain or gzipped, in the form of HumanEval or of MBPP. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return jsonl.Problems(name, r, func(line int, data []byte) (task.Problem, error) {
		p, err := ReadProblem(data)
		if err == nil {
			p.AddRow(data)
		}
		if p.ID == "" {
			p.ID = fmt.Sprintf("line-%d", line)
		}
		return p, err
	})
}

// ReadProblem reads one problem from JSON in either form.
func ReadProblem(data []byte) (task.Problem, error) {
	var rec record
	if err := json.Unmarshal(data, &rec); err != nil {
		return task.Problem{}, err
	}
	if len(rec.TestList) > 0 {
		if err := rec.fromMBPP(); err != nil {
			return task.Problem{}, err
		}
	} else if rec.Canonical != "" {
		rec.Code = rec.Prompt + rec.Canonical
	}
	if rec.Test == "" {
		rec.Test = rec.Tests
	}
	switch {
	case strings.TrimSpace(rec.Prompt) == "":
		return task.Problem{}, errors.New("no prompt")
	case rec.Entry == "":
		return task.Problem{}, errors.New("no entry_point: write the name of the asked function")
	}
	p := task.Problem{Question: rec.Prompt, Fields: map[string]string{
		FieldEntry:     rec.Entry,
		FieldSignature: signature(rec.Prompt, rec.Entry), FieldTests: rec.Test,
	}}
	if rec.TaskID != nil {
		p.ID = fmt.Sprint(rec.TaskID)
	}
	if rec.Code != "" {
		p.Fields[FieldSolution] = rec.Code
	}
	return p, nil
}

// called matches the first function that an assertion calls, but for wrappers of its result.
var called = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)

// fromMBPP fills in what HumanEval's form has. The tests keep their text: the name of the asked function is bound to the
// candidate first.
func (r *record) fromMBPP() error {
	r.Code = strings.ReplaceAll(r.Code, "\r\n", "\n")
	for _, m := range called.FindAllStringSubmatch(r.TestList[0], -1) {
		if definition(r.Code, m[1]) != "" {
			r.Entry = m[1]
			break
		}
	}
	if r.Entry == "" {
		return errors.New("the first of test_list calls no function of code")
	}
	if r.Text == "" {
		r.Text = r.Prompt
	}
	r.Prompt = fmt.Sprintf("%s\n    '''%s\n    '''\n", definition(r.Code, r.Entry), strings.TrimSpace(r.Text))
	lines := append(r.TestImports[:len(r.TestImports):len(r.TestImports)], r.Entry+" = candidate")
	if setup := strings.ReplaceAll(r.TestSetup, "\r\n", "\n"); setup != "" {
		lines = append(lines, setup)
	}
	for _, t := range r.TestList {
		lines = append(lines, strings.ReplaceAll(t, "\r\n", "\n"))
	}
	r.Test = strings.Join(lines, "\n")
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

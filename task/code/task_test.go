package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task"
	"parley/task/dataset"
)

func TestShippedTasks(t *testing.T) {
	for name, c := range map[string]struct {
		train, test, damaged int
		first, firstTest     string
	}{
		"humaneval":     {100, 64, 0, "HumanEval/33", "HumanEval/0"},
		"coophumaneval": {50, 32, 7, "CoopHumanEval/0", "CoopHumanEval/50"},
		"mbpp":          {50, 207, 0, "61", "11"},
	} {
		whole, err := New(t.Context(), Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		train, test := problemsOf(t, whole, task.Train), problemsOf(t, whole, task.Test)
		if len(train) != c.train || len(test) != c.test || train[0].ID != c.first && name != "mbpp" || test[0].ID != c.firstTest {
			t.Errorf("%s: %d from %s and %d from %s", name, len(train), train[0].ID, len(test), test[0].ID)
		}
		for _, p := range append(train, test...) {
			if !strings.HasPrefix(p.Fields[FieldSignature], "def "+p.Fields[FieldEntry]+"(") || p.Fields[FieldTests] == "" {
				t.Errorf("%s %s: fields %v", name, p.ID, p.Fields)
			}
		}
		dropped, err := New(t.Context(), Options{Name: name, Drop: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(problemsOf(t, dropped, task.Train)) + len(problemsOf(t, dropped, task.Test)); n != c.train+c.test-c.damaged {
			t.Errorf("%s without damaged items has %d", name, n)
		}
	}
}

// TestMadeTasks: half of parley's own problems is for training, and none of them is known to be wrong.
func TestMadeTasks(t *testing.T) {
	for _, name := range Names {
		made, err := New(t.Context(), Options{Name: name, Made: true, Drop: true})
		if err != nil {
			t.Fatal(err)
		}
		train, test := problemsOf(t, made, task.Train), problemsOf(t, made, task.Test)
		if len(train) != 40 || len(test) != 40 || made.Overlap > 0 {
			t.Errorf("%s: %d and %d problems, %d asked twice", name, len(train), len(test), made.Overlap)
		}
	}
}

func problemsOf(t *testing.T, source *Task, split task.Split) []task.Problem {
	t.Helper()
	list, err := source.Problems(split, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestFilesOfSplits(t *testing.T) {
	const line = `{"task_id":"%s","prompt":"def f(a):\n    '%[1]s'\n","entry_point":"f","test":"def check(candidate):\n    assert candidate(1)"}` + "\n"
	dir := t.TempDir()
	for name, ids := range map[string][]string{"train": {"a", "b", "c"}, "test": {"d"}} {
		var lines strings.Builder
		for _, id := range ids {
			fmt.Fprintf(&lines, line, id)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	both, err := New(t.Context(), Options{Name: "mbpp", Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	train, test := problemsOf(t, both, task.Train), problemsOf(t, both, task.Test)
	if len(train) != 3 || train[2].ID != "c" || len(test) != 1 || test[0].ID != "d" {
		t.Errorf("train %v, test %v", train, test)
	}
	held, err := os.ReadFile(filepath.Join(dir, "test.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "train.jsonl"), held, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Options{Name: "mbpp", Path: dir}); err == nil || !strings.Contains(err.Error(), "0 training and 1 held-out problems: both are needed; training problems left out, as they are held out too: 1") {
		t.Errorf("train and test are one file: %v", err)
	}
}

// TestOneFile: of a file of one's own one problem in five is held out, and that is what is said; a copy of the shipped one is divided as that.
func TestOneFile(t *testing.T) {
	var own strings.Builder
	for i := range 100 {
		fmt.Fprintf(&own, `{"task_id":"own/%d","prompt":"def f(a):\n    '%[1]d'\n","entry_point":"f","test":"def check(candidate):\n    assert candidate(1)"}`+"\n", i)
	}
	copied, err := shipped.ReadFile("data/humaneval.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data        []byte
		least, most int
		account     string
	}{
		"own.jsonl":     {[]byte(own.String()), 12, 28, dataset.OneInFive},
		"copy.jsonl.gz": {copied, 64, 64, "no file is held out: the set is a published one, of which 64 problems are"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := New(t.Context(), Options{Name: "humaneval", Path: path})
		if err != nil {
			t.Fatal(err)
		}
		if held := len(problemsOf(t, read, task.Test)); held < c.least || held > c.most || read.Account() != c.account {
			t.Errorf("%s: %d held out: %s", name, held, read.Account())
		}
	}
}

func TestReadForms(t *testing.T) {
	for _, c := range []struct{ name, line, entry, question, tests string }{
		{
			"HumanEval", `{"task_id":"HumanEval/0","prompt":"def f(a):\n    'x'\n","entry_point":"f","test":"def check(candidate):\n    assert candidate(1)"}`,
			"f", "def f(a):\n    'x'\n", "def check(candidate):\n    assert candidate(1)",
		},
		{
			"MBPP", `{"task_id":7,"text":"Add.","code":"def h(x):\r\n\treturn x\r\ndef add(a, b): \r\n\treturn a+b","test_list":["assert set(add(1, 2)) == 3"],"test_setup_code":"x = 1"}`,
			"add", "def add(a, b):\n    '''Add.\n    '''\n", "add = candidate\nx = 1\nassert set(add(1, 2)) == 3",
		},
		{
			"MBPP sanitized", `{"task_id":7,"prompt":"Add.","code":"def add(a, b):\n  return a+b","test_list":["assert add(1, 2) == 3"],"test_imports":["import math"]}`,
			"add", "def add(a, b):\n    '''Add.\n    '''\n", "import math\nadd = candidate\nassert add(1, 2) == 3",
		},
	} {
		p, err := ReadProblem([]byte(c.line))
		if err != nil || p.Fields[FieldEntry] != c.entry || p.Question != c.question || p.Fields[FieldTests] != c.tests {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, line := range []string{`{`, `{}`, `{"prompt":"x"}`, `{"text":"x","code":"y","test_list":["assert 1"]}`} {
		if _, err := Read("file", strings.NewReader(line)); err == nil || !strings.Contains(err.Error(), "file") {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, o := range []Options{{Name: "chess"}, {Name: "mbpp", Variant: task.RewardVariant("kind")}, {Name: "mbpp", Path: "absent"}} {
		if _, err := New(t.Context(), o); err == nil {
			t.Errorf("%+v is a task", o)
		}
	}
}

func FuzzReadProblem(f *testing.F) {
	f.Add([]byte(`{"prompt":"def f(a):","entry_point":"f","test":"x"}`))
	f.Add([]byte(`{"text":"x","code":"def f(a):\n  return a","test_list":["assert f(1)"]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := ReadProblem(line)
		if err == nil && (p.Question == "" || p.Fields[FieldEntry] == "") {
			t.Fatalf("%+v", p)
		}
	})
}

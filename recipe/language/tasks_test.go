package language_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/task"
	"parley/task/tasktest"
	"parley/team"
)

// sample is how a task is opened in the test.
type sample struct {
	files map[string]string // of its data set, to copy from testdata, or text in the place of a name
	item  string
	wrong string
	good  []string
}

const (
	squares = `{"prompt":"def f(a, b):\n    '''Sum of squares.'''\n","entry_point":"f","test":"def check(candidate):\n    assert candidate(1, 2) == 5\n"}`
	counter = `{"task_id":"mine","skeleton":"class Counter: ...","class_name":"Counter","import_statement":[],"class_constructor":"class Counter: \n    def __init__(self):\n        self.n = 0\n",` +
		`"methods_info":[{"method_name":"value","method_description":"def value(self):"}],"test":"import unittest\nclass A(unittest.TestCase):\n    def test(self):\n        self.assertEqual(Counter().value(), 0)\n"}`
	twoLamps   = `{"question":"Switch on lamps 2 and 5.","function":[{"name":"on","parameters":{"properties":{"lamp":{"type":"integer"}}}}],"ground_truth":[{"on":{"lamp":[2]}},{"on":{"lamp":[5]}}]}`
	romeForOne = `{"query":"A day in Rome.","org":"Bern","dest":"Rome","days":1,"visiting_city_number":1,"people_number":1,"budget":30,"reference_information":{"Restaurants in Rome":[{"Name":"Da Enzo","Average Cost":20,"City":"Rome"}]}}`
	abstract   = `{"article_id":"%d","abstract_text":"We study clouds %d.","title":"Clouds"}`
)

// labelled is a file of testdata of package labelled.
func labelled(name string) string {
	return filepath.Join("..", "..", "task", "labelled", "testdata", filepath.FromSlash(name))
}

// samples are of every task.
var samples = map[string]sample{
	"sums":          {item: `{"question":"1 + 2","truth":"3"}`, good: []string{`\boxed{3}`}},
	"duet":          {item: `{"question":"1 + 2","truth":"3"}`, good: []string{`\boxed{3}`, `\boxed{3}`}},
	"dictation":     {item: `{"question":"1 + 2","solution":"3\n7"}`, good: []string{"\\boxed{3}\n---\n\\boxed{7}"}},
	"data":          {files: map[string]string{"train.jsonl": lines(`{"id":%d,"question":"What is %d?","answer":"A thing."}`, 0), "test.jsonl": lines(`{"id":%d,"question":"What is %d?","answer":"A thing."}`, 20)}, item: `{"question":"q","answer":"Paris"}`, wrong: "{}", good: []string{`\boxed{paris.}`}},
	"gsm8k":         {files: map[string]string{"train.jsonl": labelled("gsm8k-train.jsonl"), "test.jsonl": labelled("gsm8k-test.jsonl")}, item: `{"question":"q","answer":"so\n#### 3"}`, wrong: "{}", good: []string{`\boxed{3}`}},
	"tinygsm":       {files: map[string]string{"train.jsonl": lines(`{"question":"What is %d + 1?","answer":%d}`, 0), "test.jsonl": lines(`{"question":"What is %d + 1?","answer":%d}`, 20)}, item: `{"question":"q","answer":3}`, wrong: "{}", good: []string{`\boxed{3}`}},
	"svamp":         {files: map[string]string{"all.jsonl": labelled("svamp.jsonl")}, item: `{"ID":"a","Body":"b","Question":"q","Answer":3}`, wrong: "{}", good: []string{`\boxed{3}`}},
	"gsm-hard":      {files: map[string]string{"train.jsonl": labelled("gsm-hard.jsonl"), "test.jsonl": `{"input":"q","target":3.0}`}, item: `{"input":"q","target":3.0}`, wrong: "{}", good: []string{`\boxed{3}`}},
	"math":          {files: map[string]string{"train.jsonl": labelled("math.jsonl"), "test.jsonl": `{"problem":"p","level":"Level 1","type":"Algebra","solution":"\\boxed{3}"}`}, item: `{"problem":"p","solution":"\\boxed{3}"}`, wrong: "{}", good: []string{`\boxed{3}`}},
	"nli":           {files: map[string]string{"train.jsonl": labelled("anli/R3/train.jsonl"), "test.jsonl": labelled("anli/R3/test.jsonl")}, item: `{"context":"a","hypothesis":"b","label":"c"}`, wrong: "{}", good: []string{`\boxed{contradiction}`}},
	"tldr":          {item: `{"prompt":"POST: a b c d e f g h i j TL;DR:"}`, wrong: "{}", good: []string{strings.Repeat("ab ", 9), strings.Repeat("ab ", 20)}},
	"arxiv":         {files: map[string]string{"train.jsonl": lines(abstract, 0), "test.jsonl": lines(abstract, 20)}, item: fmt.Sprintf(abstract, 1, 1), wrong: "{}", good: []string{strings.Repeat("ab ", 130), strings.Repeat("ab ", 150)}},
	"humaneval":     {item: squares, wrong: "{}", good: []string{"def aux(x):\n    return x * x", "def f(a, b):\n    return aux(a) + aux(b)"}},
	"coophumaneval": {item: squares, wrong: "{}", good: []string{"def aux(x):\n    return x * x", "def f(a, b):\n    return aux(a) + aux(b)"}},
	"mbpp":          {item: squares, wrong: "{}", good: []string{"def aux(x):\n    return x * x", "def f(a, b):\n    return aux(a) + aux(b)"}},
	"classeval":     {item: counter, wrong: "{}", good: []string{"def value(self):\n    return self.n", "def value(self):\n    return self.n"}},
	"bfcl":          {item: twoLamps, wrong: "{}", good: []string{"on(lamp=2)", "on(lamp=5)"}},
	"travel":        {item: romeForOne, wrong: "{}", good: []string{`{"plan":[{"day":1,"current_city":"Rome"}]}`, `{"plan":[{"day":1,"dinner":"Da Enzo, Rome"}]}`}},
	"speedup":       {item: `{"id":"a","source":"def f(x):\n    s = 0\n    for i in x:\n        for j in range(1000):\n            s += i\n    return s\n","entry":"f","inputs":"def inputs():\n    return [(list(range(100)),)]\n"}`, wrong: "{}", good: []string{"def f(x):\n    return 1000 * sum(x)"}},
	"strbuild":      {item: `{"rows":["#"]}`, wrong: `{"text":"é"}`, good: []string{"/setblock 0 0 0 stone", ""}},
	"housebuild":    {item: `{"layers":[["A"]],"legend":{"A":"stone"}}`, wrong: "{}", good: []string{"/fill 0 0 0 0 0 0 stone", ""}},
}

// lines are ten lines of a form, numbered from n.
func lines(form string, n int) string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, form+"\n", n+i, n+i)
	}
	return b.String()
}

// TestConformance opens every registered task as a recipe does, and holds it to what package task promises.
func TestConformance(t *testing.T) {
	l := language.New()
	for _, kind := range language.Tasks() {
		if kind.Acts { // texts by themselves have no score there: package world tests its own promises
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			s, ok := samples[kind.Name]
			if !ok {
				t.Fatal("there is no sample of this task: add one to samples")
			}
			recipe := "name: x\nalgorithm: magrpo\nteam: {turns: 1}\ntask: {name: " + kind.Name
			if s.files != nil {
				recipe += ", path: " + s.write(t)
			}
			source := "joint"
			if !kind.Joint {
				source = "label"
			}
			r, err := l.Parse("test", []byte(recipe+"}\nreward: {source: "+source+"}\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			tasktest.Conformance(t, tasktest.Case{Type: kind, Settings: r.Task.Settings, Agents: 2, Item: s.item, Wrong: s.wrong, Good: s.good})
		})
	}
}

// write copies the sample's files into a folder of the test.
func (s sample) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range s.files {
		data := []byte(from)
		if strings.HasPrefix(from, "..") {
			var err error
			if data, err = os.ReadFile(from); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPrompts: the prompts that tasks bring are templates that use only the fields which their problems have.
func TestPrompts(t *testing.T) {
	for _, kind := range language.Tasks() {
		fields := map[string]string{}
		for _, name := range kind.FieldNames(2) {
			fields[name] = "text"
		}
		for _, p := range []team.Prompts{{First: kind.Prompts.First}, {Later: kind.Prompts.Later}, {First: kind.Solo}} {
			if err := p.Check(fields); err != nil {
				t.Errorf("%s: %v", kind.Name, err)
			}
		}
	}
}

// TestNames: no two tasks have one name, and the settings that games are scored under are the task's own.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range language.Tasks() {
		if seen[kind.Name] {
			t.Errorf("two tasks are named %s", kind.Name)
		}
		seen[kind.Name] = true
		if kind.Gaming == nil {
			continue
		}
		if got, want := fmt.Sprintf("%T", kind.Gaming.Settings(task.Robust)), fmt.Sprintf("*%T", kind.Settings); got != want || len(kind.Gaming.Policies) < 2 {
			t.Errorf("%s: games are scored under %s, its settings are %s; %d policies", kind.Name, got, want, len(kind.Gaming.Policies))
		}
	}
}

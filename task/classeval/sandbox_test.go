//go:build sandbox

package classeval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task"
)

var sharedLab = sync.OnceValues(func() (*Sandboxes, error) { return OpenSandboxes(context.Background(), 0) })

func sandboxes(t *testing.T) *Sandboxes {
	t.Helper()
	l, err := sharedLab()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestReferenceSolutions lets one agent write the reference solution of every class. None but those that are known not to pass in
// the sandbox fall short of the full reward; those that need a package pass where Python has it. One unit test searches for seven
// seconds on an idle core, and several times that on a shared one: how long tests may take is TestBudget's matter.
func TestReferenceSolutions(t *testing.T) {
	problems, err := inBinary("data/classeval.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	made, err := inBinary("data/classeval-made.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []task.RewardVariant{task.Standard, task.Robust} {
		t.Run(string(v), func(t *testing.T) { reference(t, slices.Concat(problems, made), v) })
	}
}

func reference(t *testing.T, problems []task.Problem, v task.RewardVariant) {
	whole := &Task{generation: Current, variant: v, sandboxes: sandboxes(t), budget: budget{5 * time.Minute, 10 * time.Minute}}
	known := func(id string) bool { return Damage(id) != "" || v == task.Robust && entangled(id) }
	short := make([]bool, len(problems))
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, p := range problems {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			s, err := whole.Score(t.Context(), p, []string{p.Fields[FieldSolution], ""})
			if short[i] = s.Reward < 6-1e-9; err != nil || short[i] && !known(p.ID) {
				t.Errorf("%s: %v %v, %v", p.ID, s.Parts, s.Flags, err)
			}
		})
	}
	wait.Wait()
	for i := range short {
		if !short[i] && (slices.Contains([]int{17, 25, 48}, i) || known(problems[i].ID) && Damage(problems[i].ID) == "") {
			t.Errorf("%s passes", problems[i].ID)
		}
	}
}

// counter is a class of three methods, one of them with a single parameter, and four tests.
const counter = `{"task_id":"mine","skeleton":"class Counter:\n    ...","class_name":"Counter","import_statement":["import math"],
"class_constructor":"class Counter: \n    def __init__(self):\n        self.n = 0\n",
"methods_info":[{"method_name":"value","method_description":"def value(self):"},{"method_name":"add","method_description":"def add(self, k):"},
{"method_name":"root","method_description":"@staticmethod\n    def root(x, digits=(1, 2)):"}],
"test":"import unittest\nclass A(unittest.TestCase):\n    def setUp(self):\n        self.c = Counter()\n    def test_value(self):\n        self.assertEqual(self.c.value(), 0)\n    def test_add(self):\n        self.c.add(2)\n        self.assertEqual(self.c.value(), 2)\nclass B(unittest.TestCase):\n    def test_root(self):\n        self.assertEqual(Counter.root(16), 4)\n    def test_constructor(self):\n        self.assertEqual(Counter().n, 0)\n"}`

const (
	value = "def value(self):\n    return self.n\n"
	add   = "def add(self, k):\n    self.n += k\n"
	root  = "@staticmethod\ndef root(x):\n    return math.sqrt(x)\n"
)

// TestClock runs a unit test that fails if the clock's second changes in the 0.6 seconds that it takes. Two tries in a row can be
// unlucky, three cannot.
func TestClock(t *testing.T) {
	p, err := ReadProblem([]byte(strings.Replace(counter, "self.assertEqual(Counter().n, 0)",
		`import time\n        second = int(time.time())\n        time.sleep(0.6)\n        self.assertEqual(int(time.time()), second)`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	counting := &Task{generation: Current, sandboxes: sandboxes(t), budget: usual}
	for i := range 4 {
		s, err := counting.Score(t.Context(), p, []string{strings.Replace(value, "self.n", fmt.Sprintf("self.n * %d ** 0", i+1), 1), add + root})
		if err != nil || s.Parts["lv2"] != 4 {
			t.Fatalf("%v, %v", s.Parts, err)
		}
	}
}

func TestTeams(t *testing.T) {
	p, err := ReadProblem([]byte(counter))
	if err != nil || p.Fields[FieldFirst] != "value" || p.Fields[FieldSecond] != "add, root" {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, c := range teams {
		for _, v := range []task.RewardVariant{task.Standard, task.Robust} {
			mine := &Task{generation: Current, variant: v, sandboxes: sandboxes(t), budget: budget{time.Second, time.Minute}}
			s, err := mine.Score(t.Context(), p, []string{c.first, c.second})
			want := map[string]float64{"lv1": c.lv1, "lv2": c.lv2, "lv3": c.lv3}
			reward := c.lv1 + c.lv2 + c.lv3
			if slices.Contains(c.flags, "does_not_compile") {
				reward = 0
			}
			if err != nil || fmt.Sprint(s.Parts) != fmt.Sprint(want) || s.Reward != reward || !slices.Equal(s.Flags, c.flags) {
				t.Errorf("%s, %s: %v %v %v, %v; want %v %v", c.name, v, s.Reward, s.Parts, s.Flags, err, want, c.flags)
			}
		}
	}
}

var teams = []struct {
	name, first, second string
	lv1, lv2, lv3       float64
	flags               []string
}{
	{"whole", value, add + root, 2, 4, 0, nil},
	{"fences and the class around it", "Here:\n```python\nclass Counter:\n    def value(self):\n        return self.n\n```", add + root, 2, 4, 0, nil},
	{"signatures over lines among prose", "Mine is this:\n```python\ndef value(\n    self,\n):\n    return self.n\n```\nIt works.", "Mine are:\ndef add(\n    self,\n    k,\n):\n# n grows\n    self.n += k\n" + root + "They work.", 2, 4, 0, nil},
	{"a fence in a docstring", "So:\n```\ndef value(self):\n    '''Try\n    ```\n    value()\n    ```\n    '''\n    return self.n\n```\nIt works.", add + root, 2, 4, 0, nil},
	{"one in a fence, one beside it", value, "First:\n```python\n" + add + "```\nand then\n" + root + "as asked.", 2, 4, 0, nil},
	{"indented like the skeleton", "    def value(self):\n        return self.n\n", "    def add(self, k):\n        self.n += k\n\n    @staticmethod\n    def root(x):\n        return math.sqrt(x)\n", 2, 4, 0, nil},
	{"a helper of one's own", "def value(self):\n    return self.help()\ndef help(self):\n    return self.n\n", add + root, 2, 4, 0, nil},
	{"wrong", value, "def add(self, k):\n    self.n -= k\n" + root, 2, 3, 0, nil},
	{"not written", value, add, 4. / 3, 3, 0, nil},
	{"nothing", "", "I cannot.", 0, 1, 0, nil},
	{"a duplicate", value + add, add + root, 2, 4, -1. / 3, []string{"duplicate"}},
	{"a broken duplicate gives way", value + "def add(self, k)\n    self.n += 7\n", add + root, 2, 4, -1. / 3, []string{"duplicate"}},
	{"one broken method among good ones", value, "def add(self, k:\n    self.n += k\n" + root, 4. / 3, 3, 0, nil},
	{"a constructor of one's own does not count", "def __init__(self):\n    self.n = 5\n" + value, add + root, 2, 4, 0, nil},
	{"does not compile", "def value(self):\n    nonlocal n\n    return 1\n", add + root, 2, 0, 0, []string{"does_not_compile"}},
	{"exits", "def value(self):\n    import os\n    os._exit(0)\n", add + root, 2, 2, 0, nil},
	{"hangs", "def value(self):\n    while True: pass\n", add + root, 2, 2, 0, []string{"timeout"}},
}

// TestReport: what each agent is told of its methods, of the class and of the shown tests (§9).
func TestReport(t *testing.T) {
	p, err := ReadProblem([]byte(counter))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, first, second string
		shown               int
		want                [2][]string // of each agent; a leading "-" means: not this
	}{
		{"whole", value, add + root, 0, [2][]string{{"were found: value.", "4 of 4", "-failed", "-nobody"}, {"were found: add, root.", "4 of 4"}}},
		{"not written", value, add, 0, [2][]string{{"-nobody", "3 of 4"}, {"nobody has written: root.", "B.test_root failed: AttributeError"}}},
		{"written by the other one", "", value + add + root, 0, [2][]string{{"-nobody", "-were found", "4 of 4"}, {"were found: add, root, value"}}},
		{"twice", value + add, add + root, 0, [2][]string{{"wrote too: add."}, {"wrote too: add."}}},
		{"does not parse", value, "def add(self, k:\n    self.n += k\n" + root, 0, [2][]string{{"-not parse"}, {"Your method add does not parse", "line 1, column"}}},
		{"wrong, first shown", value, "def add(self, k):\n    self.n -= k\n" + root, 1, [2][]string{{"3 of 4", "-failed"}, {"3 of 4", "-failed"}}},
		{"wrong", value, "def add(self, k):\n    print('{}' * 10**6)\n    self.n -= k\n" + root, 0, [2][]string{{"A.test_add failed: AssertionError: -2 != 2"}, {"3 of 4"}}},
		{"exits", "def value(self):\n    import os\n    os._exit(0)\n", add + root, 0, [2][]string{{"2 of 4", "A.test_value failed: the program ended"}, {"2 of 4"}}},
		{"hangs", "def value(self):\n    while True: pass\n", add + root, 0, [2][]string{{"A.test_value failed: it takes too long"}, {"2 of 4"}}},
		{"does not compile", "def value(self):\n    nonlocal n\n    return 1\n", add + root, 0, [2][]string{{"does not compile: no binding for nonlocal", "-Unit tests"}, {"does not compile"}}},
	} {
		mine := &Task{generation: Current, sandboxes: sandboxes(t), budget: budget{time.Second, time.Minute}}
		got, err := mine.Report(t.Context(), p, []string{c.first, c.second}, c.shown)
		if err != nil {
			t.Fatal(err)
		}
		for agent, wants := range c.want {
			for _, want := range wants {
				text, absent := strings.CutPrefix(want, "-")
				if strings.Contains(got[agent], text) == absent {
					t.Errorf("%s: agent %d is told %q, want %q", c.name, agent+1, got[agent], want)
				}
			}
		}
	}
}

// TestGenerations: the older one looks at picks alone.
func TestGenerations(t *testing.T) {
	p, err := ReadProblem([]byte(counter))
	if err != nil {
		t.Fatal(err)
	}
	old := &Task{generation: October2025, sandboxes: sandboxes(t), budget: usual}
	for _, c := range []struct {
		first, second string
		reward        float64
		flags         []string
	}{{value, add + root, 2 + 2 + balance(3, []int{1, 2}), nil}, {value + add + root, "", -2, []string{"empty_agent"}}} {
		if s, err := old.Score(t.Context(), p, []string{c.first, c.second}); err != nil || s.Reward != c.reward || !slices.Equal(s.Flags, c.flags) {
			t.Errorf("%+v, %v; want %v %v", s, err, c.reward, c.flags)
		}
	}
}

// TestBudget: after three time-outs, or when the time for a class is used up, what is left counts as failed. What a class scored
// is remembered.
func TestBudget(t *testing.T) {
	p, err := ReadProblem([]byte(counter))
	if err != nil {
		t.Fatal(err)
	}
	mine := &Task{generation: Current, sandboxes: sandboxes(t), budget: budget{300 * time.Millisecond, 500 * time.Millisecond}}
	hangs := []string{"def value(self):\n    while True: pass\n", "def add(self, k):\n    pass\n" + root}
	start := time.Now()
	s, err := mine.Score(t.Context(), p, hangs)
	if err != nil || s.Parts["lv2"] != 0 || !slices.Contains(s.Flags, "timeout") {
		t.Errorf("%+v, %v", s, err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
	it, err := itemOf(p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := mine.sandboxes.analyze(t.Context(), it, hangs)
	if err != nil {
		t.Fatal(err)
	}
	if tally, err := mine.known.Of(known(e, it), func() (Tally, error) { return Tally{}, errors.New("it is not remembered") }); err != nil || tally.TimeOuts == 0 {
		t.Errorf("%+v, %v", tally, err)
	}
}

package bfcl

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/task"
	"parley/task/tasktest"
)

const (
	trains = `{"name":"trains.book","parameters":{"type":"dict","properties":{"seat":{"type":"string"},"to":{"type":"string"},"day":{"type":"integer"},"price":{"type":"float"}},"required":["to","day"]}}`
	rows   = `{"id":"parallel_%","question":[[{"role":"system","content":"Be quick."},{"role":"user","content":"Book % trains."}],[{"role":"user","content":"To Rome and Bern."}]],"function":[` + trains + `]`
	truth  = `"ground_truth":[{"trains.book":{"to":["Rome"],"day":[1],"seat":["window",""]}},{"trains.book":{"to":["Bern"],"day":[2]}}]}`
)

// row is the row of a number, with its answers where there are some.
func row(number, answers string) string {
	return strings.ReplaceAll(rows, "%", number) + answers
}

func problem(t *testing.T, record string) task.Problem {
	t.Helper()
	p, err := Read("rows", strings.NewReader(record))
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

// folder writes files with their texts.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wheel is the folder of a wheel whose categories have ten rows each.
func wheel(t *testing.T, change map[string]string) string {
	files := map[string]string{}
	for _, category := range (Settings{}).categories() {
		var questions, answers strings.Builder
		for i := range 10 {
			id := strings.TrimPrefix(category, "parallel") + string(rune('a'+i))
			questions.WriteString(strings.Replace(row(id, "}\n"), "parallel_"+id, category+"_"+string(rune('0'+i)), 1))
			answers.WriteString(`{"id":"` + category + "_" + string(rune('0'+i)) + `",` + truth + "\n")
		}
		files["BFCL_v4_"+category+".json"], files["possible_answer/BFCL_v4_"+category+".json"] = questions.String(), answers.String()
	}
	maps.Copy(files, change)
	return folder(t, files)
}

func TestConformance(t *testing.T) {
	for name, s := range map[string]*Settings{
		"binary": {Scorer: published, Share: "choose"}, "lamps": {Scorer: robust, Share: "halves", Categories: []string{"lamps"}},
		"wheel": {Path: wheel(t, nil), Scorer: published, Share: "odd-even"},
		"rows":  {Path: folder(t, map[string]string{"train.jsonl": row("1", ","+truth), "test.jsonl": row("2", ","+truth)}), Scorer: published, Share: "all"},
	} {
		t.Run(name, func(t *testing.T) {
			tasktest.Conformance(t, tasktest.Case{Type: Type(), Settings: s, Agents: 2, Item: row("1", ","+truth), Good: []string{`trains.book("Rome", 1)`, `trains.book(to="Bern", day=2)`}})
		})
	}
}

func TestProblems(t *testing.T) {
	s := Settings{Path: wheel(t, nil), Categories: []string{"live_parallel", "parallel"}, Share: "odd-even"}
	tk, err := s.open(t.Context(), task.Environment{Agents: 2})
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(tk.Splits[task.Train], tk.Splits[task.Test])
	if len(all) != 20 || len(tk.Splits[task.Test]) == 0 {
		t.Errorf("%d problems, %d held out", len(all), len(tk.Splits[task.Test]))
	}
	p := all[slices.IndexFunc(all, func(p task.Problem) bool { return p.ID == "parallel_3" })]
	if p.Question != "Book d trains.\n\nTo Rome and Bern." || p.Fields["functions"] != trains || p.Truth != "" {
		t.Errorf("problem %+v", p)
	}
	if want := "call 2, call 4, call 6 and so on, in the order in which they are asked for"; p.Fields["share_2"] != want || !strings.HasSuffix(p.Fields["share"], "agent 2: "+want) {
		t.Errorf("shares %q and %q", p.Fields["share_2"], p.Fields["share"])
	}
	for share, want := range map[string]string{"choose": "surest", "halves": "second half", "all": "all calls"} {
		if got := (Settings{Share: share}).part(1, 2); !strings.Contains(got, want) {
			t.Errorf("%s: the second agent writes %q", share, got)
		}
	}
	whole := Settings{Path: folder(t, map[string]string{"bfcl_eval/data/possible_answer/x": ""}), Categories: []string{"parallel"}}
	if _, err := whole.open(t.Context(), task.Environment{}); err == nil || !strings.Contains(err.Error(), filepath.Join("bfcl_eval", "data", "BFCL_v4_parallel.json")) {
		t.Errorf("the whole wheel is looked for in another place: %v", err)
	}
	twoCalls := problem(t, strings.Replace(row("1", ","+truth), "parallel_1", twice, 1))
	if left := (Settings{}).chosen([]task.Problem{twoCalls, problem(t, strings.Replace(row("1", ","+truth), "parallel_1", "mine", 1))}); len(left) != 1 || left[0].ID != "mine" {
		t.Errorf("left are %v", left)
	}
	if tk, err := (Settings{Path: "nothing"}).open(t.Context(), task.Environment{NoProblems: true}); err != nil || len(tk.Splits) != 0 {
		t.Errorf("asked for no problems it opens %v, %v", tk, err)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	const questions, answers = "BFCL_v4_parallel.json", "possible_answer/BFCL_v4_parallel.json"
	good, answer := row("1", "}"), `{"id":"parallel_1",`+truth
	for _, c := range []struct{ questions, answers, want string }{
		{"\n{", answer, questions + ":2: the object goes on"},
		{good + "\n" + good, answer, questions + ":2: id parallel_1 stands twice"},
		{good + "\n" + row("2", "}"), answer, questions + ":2: id parallel_2 is not in"},
		{good, answer + "\n" + strings.Replace(answer, "_1", "_3", 1), answers + `:2: id "parallel_3" is not in`},
		{`{"id":"parallel_1"}`, answer, questions + ":1: question: write a text"},
		{`{"id":"parallel_1","question":[{"role":"assistant","content":"x"}]}`, answer, questions + ":1: question: there is no message of the user"},
		{`{"id":"parallel_1","question":"x"}`, answer, questions + ":1: there is no function"},
		{`{"id":"parallel_1","question":"x","function":[{"parameters":{}}]}`, answer, questions + ":1: function 1: there is no name"},
		{strings.Replace(good, `"integer"`, `"number"`, 1), answer, questions + `:1: function 1: trains.book: parameter day: type is "number": write one of any, array, `},
		{strings.Replace(good, `"integer"`, `"array","items":{"type":"object"}`, 1), answer, questions + `:1: function 1: trains.book: parameter day: the type of its items is "object"`},
		{good, `{"id":"parallel_1"}`, answers + ":1: ground_truth: write a list of calls"},
		{good, `{"id":"parallel_1","ground_truth":[]}`, answers + ":1: ground_truth: write a list of calls"},
		{good, strings.ReplaceAll(answer, "trains.", "ships."), answers + ":1: ground_truth, call 1: ships.book is none of the functions"},
		{good, strings.Replace(answer, "[2]", "2", 1), answers + ":1: ground_truth, call 2: argument day: write the list of its accepted values"},
		{good, `{"id":"parallel_1","ground_truth":["x"]}`, answers + ":1: ground_truth, call 1: write an object of one name"},
	} {
		s := Settings{Path: folder(t, map[string]string{questions: c.questions, answers: c.answers}), Categories: []string{"parallel"}}
		if _, err := s.open(t.Context(), task.Environment{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want …%s…", err, c.want)
		}
	}
	for _, s := range []Settings{
		{Path: wheel(t, nil), Categories: []string{"lamps"}},
		{Categories: []string{"live_parallel"}},
		{Path: "nowhere"},
		{Path: folder(t, map[string]string{"train.jsonl": row("1", ","+truth), "test.jsonl": row("2", "}")})},
	} {
		if _, err := s.open(t.Context(), task.Environment{}); err == nil {
			t.Errorf("%+v is opened", s)
		}
	}
}

// TestRead: what of a text is a call, and what makes it none.
func TestRead(t *testing.T) {
	functions, err := functionsOf(problem(t, row("1", ","+truth)))
	if err != nil {
		t.Fatal(err)
	}
	const one = `trains.book{"day":1,"to":"Rome"}`
	for text, want := range map[string]string{
		`trains.book(to="Rome", day=1)`:          one,
		"trains.book('Rome', 1)":                 one,
		"  trains.book('Rome', day=1)  # soon\n": one,
		"Sure:\n```python\ntrains.book('Rome', 1)\n```\nand\n```\ntrains.book('Bern', 2)": one + ` trains.book{"day":2,"to":"Bern"}`,
		"[trains.book('Rome', 1), f.g.h()]":                                               one + " f.g.h{}",
		"trains.book('Rome',\n 1)\ntrains.book('Rome', 1)":                                one + " " + one,
		`{"name": "trains.book", "arguments": {"to": "Rome", "day": 1}}`:                  one,
		`[{"name": "trains.book", "parameters": {"to": "Rome", "day": 1}}]`:               one,
		`[{"trains.book": {"to": "Rome", "day": 1}}, {"name": {"a": null}}]`:              one + ` name{"a":null}`,
		"trains.book('Rome', 1, 'window', 2.5)":                                           `trains.book{"day":1,"price":2.5e+00,"seat":"window","to":"Rome"}`,
		"f(a=[1, (2, 3), ()], b={'x': -1.5, 2: None}, c=true, d=(False), e=-(2), g=1e2)":  `f{"a":[1,[2,3],[]],"b":{"\u00002":null,"x":-1.5e+00},"c":true,"d":false,"e":-2,"g":1e+02}`,
		"f(a=0x10, b=.5)":                     `f{"a":16,"b":5e-01}`,
		"f(a=123456789012345678901234567890)": `f{"a":123456789012345678901234567890}`,
		"":                                    "", "[]": "", " [ ] ": "", "```\n[]\n```": "",
		"I would call the tools.": "?", "f(x=y)": "?", "f(1 + 1)": "?", "g = f()": "?", "f": "?", "f(*[1])": "?", "f(**{})": "?", "f(a=1, a=2)": "?", "trains.book('Rome', to='Bern')": "?",
		"unknown(1)": "?", "trains.book(1, 2, 3, 4, 5)": "?", "f(not True)": "?", "f(b'x')": "?", "f()()": "?", "f()[0]": "?", "f(a={[1]: 2})": "?", "f(a=+1)": "?", "f(x=-'a')": "?",
		`{"a": 1}`: "?", "[1]": "?", `{"a": {}, "b": {}}`: "?", "null": "?", `{"name": "f"}`: "?", "f(),g()": "?", "[f()]\n[g()]": "?", "f(a=[x])": "?", "f(a={'b': x})": "?",
		strings.Repeat("(", 1<<20): "?",
	} {
		calls, ok := read(text, functions)
		var got []string
		for _, c := range calls {
			got = append(got, c.key())
		}
		if list := strings.Join(got, " "); want == "?" && (ok || calls != nil) || want != "?" && (!ok || list != want) {
			t.Errorf("%.60q is read as %s, %v; want %s", text, list, ok, want)
		}
	}
}

// TestDivision is what the parts pay where two of two calls are asked for.
func TestDivision(t *testing.T) {
	p := problem(t, row("1", ","+truth))
	const rome, bern = `trains.book("Rome", 1)`, `trains.book("Bern", 2)`
	for _, c := range []struct {
		first, second     string
		published, robust float64
	}{
		{rome, bern, 1.1, 1},
		{bern, `trains.book("ROME.", 1, seat="window")`, .55 + .35*5/6, 1}, // the checker does not mind full stops, similarity does
		{rome + "\n" + bern, "[]", .875, .925},
		{rome + "\n" + bern, bern + "\n" + rome, .7, .8},
		{"", "[]", -.15, -.15},
		{"ships.book(a='x')", "ships.book(a='y')", .05 + .10 + .15, 0},
	} {
		for scorer, want := range map[string]float64{published: c.published, robust: c.robust} {
			got, err := (&Task{scorer: scorer}).Score(t.Context(), p, []string{c.first, c.second})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Reward-want) > 1e-9 {
				t.Errorf("%s of %q and %q is %v, want %v", scorer, c.first, c.second, got.Reward, want)
			}
		}
	}
}

// TestRobustNeverPaysForm: whatever two agents say, the robust reward of calls that are not valid is that of their similarity at most, and both lie in
// their ranges.
func TestRobustNeverPaysForm(t *testing.T) {
	p := problem(t, row("1", ","+truth))
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`trains.book("Rome", 1)`, `trains.book("Bern", 2)`, `trains.book("Bern", 3)`, "trains.book()", "ships.book(1)", "x()", "x(y=1)"}
	said := func() string {
		var lines []string
		for range random.IntN(5) {
			lines = append(lines, pieces[random.IntN(len(pieces))])
		}
		return strings.Join(lines, "\n")
	}
	for range 300 {
		texts := []string{said(), said(), said()}[:1+random.IntN(3)]
		for _, scorer := range []string{published, robust} {
			tk := &Task{scorer: scorer}
			s, err := tk.Score(t.Context(), p, texts)
			if err != nil {
				t.Fatal(err)
			}
			least, most := tk.Range()
			if s.Reward < least-1e-9 || s.Reward > most+1e-9 || *s.Signals.Audit > s.Parts["valid"]+.35*s.Parts["argument"]+1e-9 || *s.Signals.Solved != s.Parts["valid"] {
				t.Errorf("%s of %q: %+v", scorer, texts, s)
			}
		}
	}
}

// TestPolicies: under the robust reward nothing earns as much as honesty.
func TestPolicies(t *testing.T) {
	scorer, err := Type().Items(t.Context(), &Settings{Scorer: robust})
	if err != nil {
		t.Fatal(err)
	}
	var honest float64
	for i, policy := range policies() {
		p, err := scorer.Read(policy.Item, 2)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scorer.Score(t.Context(), p, policy.Responses)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			honest = s.Reward
		} else if s.Reward >= honest {
			t.Errorf("%s earns %v", policy.Name, s.Reward)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("f(a=1)\ng('x')")
	f.Add("```json\n[{\"name\": \"f\", \"arguments\": {}}]\n```")
	f.Add("[f(a={1: -2.5})]")
	f.Fuzz(func(t *testing.T, text string) {
		calls, ok := read(text, nil)
		if !ok && calls != nil {
			t.Fatal("calls of a text that has none")
		}
		if again := merge(calls, calls); len(again) > len(calls) {
			t.Fatal("merging makes calls")
		}
	})
}

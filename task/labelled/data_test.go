package labelled

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
	"parley/task/tasktest"
)

// usual are the settings of a recipe that names nothing, but for what change says.
func usual(change func(*DataSettings)) DataSettings {
	s := DataSettings{Question: "question", Answer: "answer", Choices: "choices", Match: Normalised, Final: Boxed, Settings: Settings{BadLines: "error"}}
	if change != nil {
		change(&s)
	}
	return s
}

// lay writes files into a new folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openData(t *testing.T, s DataSettings) task.Task {
	t.Helper()
	opened, err := s.open(t.Context(), task.Environment{Agents: 1})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func drawn(t *testing.T, from task.Task, split task.Split) []task.Problem {
	t.Helper()
	problems, err := from.Problems(split, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// rows are twenty, numbered from n, in JSON lines.
func rows(form string, n int) string {
	var b strings.Builder
	for i := range 20 {
		b.WriteString(strings.ReplaceAll(form, "%d", fmt.Sprint(n+i)) + "\n")
	}
	return b.String()
}

// TestConformance holds the task to what package task promises, however answers are compared and written.
func TestConformance(t *testing.T) {
	for _, c := range []struct {
		form, item, good string
		settings         DataSettings
	}{
		{`{"question":"Capital %d?","answer":"The Paris of %d"}`, `{"question":"q","answer":"Paris"}`, `\boxed{paris}`, usual(nil)},
		{`{"question":"Capital %d?","answer":"Paris {%d}"}`, `{"question":"q","answer":"Paris"}`, `\boxed{Paris}`, usual(func(s *DataSettings) { s.Match = Exact })},
		{`{"q":"How many %d?","n":%d.5}`, `{"q":"q","n":"1,250"}`, `\boxed{1250}`, usual(func(s *DataSettings) { s.Match, s.Question, s.Answer = SameNumber, "q", "n" })},
		{`{"question":"Which %d?","answer":"B","A":"x","B":"y%d"}`, `{"question":"q","choices":["x","y"],"answer":1}`, `\boxed{y}`, usual(func(s *DataSettings) { s.Match = Choice })},
	} {
		s := c.settings
		s.Path = lay(t, map[string]string{"train.jsonl": rows(c.form, 0), "heldout.jsonl": rows(c.form, 100)})
		tasktest.Conformance(t, tasktest.Case{Type: DataType(), Settings: &s, Agents: 2, Item: c.item, Good: []string{c.good}})
	}
}

// TestRows: questions, answers, ids and fields are what rows say.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		row      string
		settings DataSettings
		want     task.Problem
	}{
		{
			`{"question":"Capital of France?","answer":"Paris"}`, usual(nil),
			task.Problem{Question: "Capital of France?", Truth: "Paris", Canonical: "paris", Fields: map[string]string{}},
		},
		{
			`{"id":7,"Question":"no","question":" q ","answer":"The End.","level":3,"ok":true,"none":null,"tags":["a", 1],"source":{"page": 2}}`, usual(nil),
			task.Problem{ID: "7", Question: "q", Truth: "The End.", Canonical: "end", Fields: map[string]string{"id": "7", "Question": "no", "level": "3", "ok": "true", "none": "", "tags": `["a",1]`, "source": `{"page":2}`}},
		},
		{`{"q":"x","a":12.50}`, usual(func(s *DataSettings) { s.Question, s.Answer, s.Match = "q", "a", SameNumber }), task.Problem{Question: "x", Truth: "12.50", Canonical: "25/2", Fields: map[string]string{}}},
		{`{"question":"x","answer":true}`, usual(func(s *DataSettings) { s.Match = Exact }), task.Problem{Question: "x", Truth: "true", Fields: map[string]string{}}},
		{`{"question":"x","answer":"hint"}`, usual(func(s *DataSettings) { s.Match = None }), task.Problem{Question: "x", Fields: map[string]string{"answer": "hint"}}},
		{`{"question":"x","answer":"C"}`, usual(func(s *DataSettings) { s.Match = Choice }), task.Problem{Question: "x", Truth: "C", Fields: map[string]string{}}},
		{
			`{"question":"x","answer":1,"choices":["a","b"]}`, usual(func(s *DataSettings) { s.Match = Choice }),
			task.Problem{Question: "x\n\nA. a\nB. b", Truth: "1", Canonical: "B", Fields: map[string]string{"choices": `["a","b"]`}},
		},
		{
			`{"question":"x","answerKey":"2","options":{"text":["a","b"],"label":["1","2"]}}`, usual(func(s *DataSettings) { s.Match, s.Answer, s.Choices = Choice, "answerKey", "options" }),
			task.Problem{Question: "x\n\n1. a\n2. b", Truth: "2", Fields: map[string]string{"options": `{"text":["a","b"],"label":["1","2"]}`}},
		},
	} {
		item, err := c.settings.read([]byte(c.row))
		got, want := fmt.Sprintf("%+v", item.Problem), fmt.Sprintf("%+v", c.want)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", c.row, got, err, want)
		}
	}
}

func TestRowErrors(t *testing.T) {
	for _, c := range []struct {
		row, want string
		match     Match
	}{
		{`{"q":"x","a":"y"}`, "there is no question: the keys are q, a; task.question names", Normalised},
		{`{"question":"x","a":"y"}`, "there is no answer: the keys are question, a; task.answer names", Normalised},
		{`{"question":"x","answer":null}`, "answer is empty", Normalised},
		{`{"question":"","answer":"y"}`, "question is empty", Normalised},
		{`{"question":"x","answer":["y"]}`, "expected a text, a number", Normalised},
		{`{"question":"x","answer":"many"}`, `answer "many" is no number`, SameNumber},
		{`{"question":"x","answer":"{"}`, "cannot be written so that it is read", Exact},
		{`{"question":"x","answer":"z","choices":["a","b"]}`, "is none of the options A, B", Choice},
		{`{"question":"x","answer":2,"choices":["a","b"]}`, "is none of the options A, B", Choice},
		{`{"question":"x","answer":0,"choices":["a"]}`, "expected 2 to 26", Choice},
		{`{"question":"x","answer":0,"choices":"a"}`, "expected a list of texts", Choice},
		{`[]`, "no JSON object", Normalised},
	} {
		if item, err := usual(func(s *DataSettings) { s.Match = c.match }).read([]byte(c.row)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %s", c.row, item, err, c.want)
		}
	}
}

// TestAnswers: what counts as an answer, and when it is right.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		match Match
		final Final
		row   string // but for the question
		right []string
		wrong []string
	}{
		{Normalised, Boxed, `"answer":"The Eiffel Tower"`, []string{`so \boxed{eiffel tower!}`, `\boxed{\text{The Eiffel Tower}}`}, []string{`\boxed{Paris}`, "Eiffel Tower", ""}},
		{Normalised, LastLine, `"answer":"Paris"`, []string{"It is big.\n\n**Answer:** paris.", "Paris"}, []string{"Paris\nor Rome", `\boxed{Rome}`}},
		{Normalised, Response, `"answer":"Paris"`, []string{" paris \n"}, []string{"It is Paris"}},
		{Exact, Boxed, `"answer":"iPhone"`, []string{`\boxed{ iPhone }`, `\boxed{\text{iPhone}}`}, []string{`\boxed{iphone}`, `\boxed{iPhone.}`}},
		{SameNumber, Boxed, `"answer":"1,250.0"`, []string{`\boxed{1250}`, `\boxed{\frac{2500}{2}}`}, []string{`\boxed{125}`, `\boxed{many}`, "1250"}},
		{SameNumber, LastNumber, `"answer":7`, []string{"3 and 4 make 7."}, []string{"7 is 3 and 4"}},
		{SameNumber, LastLine, `"answer":7`, []string{"3 + 4\nAnswer: 7"}, []string{"7\n8"}},
		{Choice, Boxed, `"answer":"B","choices":["Rome","Paris","B."]`, []string{`\boxed{B}`, `\boxed{b)}`, `\boxed{(B) Paris}`, `\boxed{Paris}`, `\boxed{\text{B: Paris}}`, `\boxed{Option B}`}, []string{`\boxed{A}`, `\boxed{Rome}`, `\boxed{D}`, `\boxed{London}`}},
		{Choice, LastLine, `"answer":"Paris","choices":["Rome","Paris"]`, []string{"Answer: B", "B. Paris", "paris"}, []string{"A", "neither"}},
		{Choice, LastLine, `"answer":"2","choices":["1","2"]`, []string{"B", "2"}, []string{"A", "1"}},
		{Choice, Boxed, `"answer":"C++","choices":["C","C++","C#"]`, []string{`\boxed{C++}`, `\boxed{B - C++}`}, []string{`\boxed{C\#}`, `\boxed{A}`}},
		{Choice, Boxed, `"answer":"yes"`, []string{`\boxed{Yes.}`}, []string{`\boxed{no}`}},
	} {
		s := usual(func(s *DataSettings) { s.Match, s.Final = c.match, c.final })
		item, err := s.read([]byte(`{"question":"q",` + c.row + `}`))
		if err != nil {
			t.Errorf("%s: %v", c.row, err)
			continue
		}
		for _, text := range append(slices.Clone(c.right), c.wrong...) {
			got, ok := s.answerTo(item.Problem, text)
			if want := slices.Contains(c.right, text); (ok && got == item.Right()) != want {
				t.Errorf("%s %s %s: %q is read as %q, %v, the right answer is %q", c.match, c.final, c.row, text, got, ok, item.Right())
			}
		}
	}
}

// TestRightAnswersAreRead: whatever a row's answer is, it is refused or the very text is right.
func TestRightAnswersAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := usual(func(s *DataSettings) {
			s.Match = rapid.SampledFrom([]Match{Exact, Normalised, Squad}).Draw(t, "match")
			s.Final = rapid.SampledFrom([]Final{Boxed, LastLine, Response}).Draw(t, "final")
		})
		right := rapid.OneOf(rapid.String(), rapid.StringMatching(`[aA{}\\$ .,\-0-9the]{1,8}`)).Draw(t, "answer")
		row, err := json.Marshal(map[string]string{"question": "q", "answer": right})
		if err != nil {
			t.Fatal(err)
		}
		item, err := s.read(row)
		if err != nil {
			return
		}
		if item.Truth != right {
			t.Fatalf("%q has become %q", right, item.Truth)
		}
		for _, text := range []string{right, braces.Replace(right), item.Right()} {
			if got, ok := s.answerTo(item.Problem, s.written(text)); ok && got == item.Right() {
				return
			}
		}
		t.Fatalf("%q cannot be written", right)
	})
}

// TestRowSplits: named files are held out, else one problem in five by its question; what is held out is never trained on, and all is said.
func TestRowSplits(t *testing.T) {
	form := `{"question":"Capital of country “%d”?","answer":"x%d","more":1}`
	held := rows(`{"question":"capital of\u200b country \"%d\" ?","answer":"x%d"}`, 10)
	opened := openData(t, usual(func(s *DataSettings) {
		s.Path = lay(t, map[string]string{"training.jsonl": rows(form, 0), "holdout.jsonl": held, "other.jsonl": rows(form, 50)})
	}))
	if train, test := drawn(t, opened, task.Train), drawn(t, opened, task.Test); len(train) != 10 || len(test) != 20 || test[0].Fields["more"] != "" || len(test[0].Fields) != 1 {
		t.Errorf("%d training, %d held out: %+v", len(train), len(test), test[0])
	}
	account := opened.(interface{ Account() string }).Account()
	if want := "10 training problems, 0 for a verifier, 20 held out, none in two of them; left out: 10 of a held-out question or text; not used: other.jsonl (no split)"; account != want {
		t.Errorf("account: %s", account)
	}
	path := filepath.Join(lay(t, map[string]string{"qa.jsonl": rows(form, 0) + rows(form, 0)}), "qa.jsonl")
	first, second := openData(t, usual(func(s *DataSettings) { s.Path = path })), openData(t, usual(func(s *DataSettings) { s.Path, s.Match = path, None }))
	var keys []string
	for _, split := range []task.Split{task.Train, task.Test} {
		a, b := drawn(t, first, split), drawn(t, second, split)
		if len(a) == 0 || len(a) != len(b) {
			t.Errorf("split %s: %d problems, then %d", split, len(a), len(b))
		}
		for i, p := range a {
			keys = append(keys, task.Key(p.Question))
			if p.Question != b[i].Question {
				t.Errorf("split %s depends on the answers", split)
			}
		}
	}
	slices.Sort(keys)
	if len(keys) != 20 || len(slices.Compact(keys)) != 20 {
		t.Errorf("%d questions of 20", len(keys))
	}
	if _, answers := second.(task.Answerer); answers {
		t.Error("a set without right answers reads answers")
	}
}

// TestOneQuestionAboutManyTexts: rows that ask the same about other texts are other problems where prompts show the texts.
func TestOneQuestionAboutManyTexts(t *testing.T) {
	dir := lay(t, map[string]string{"qa.jsonl": rows(`{"id":%d,"question":"What is it about?","text":"Text %d","answer":"x"}`, 0)})
	s := usual(func(s *DataSettings) { s.Path = dir })
	opened, err := s.open(t.Context(), task.Environment{Shown: []string{"id", "text"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(drawn(t, opened, task.Train)) + len(drawn(t, opened, task.Test)); n != 20 {
		t.Errorf("%d problems of 20", n)
	}
	if _, err := s.open(t.Context(), task.Environment{Shown: []string{"id"}}); err == nil || !strings.Contains(err.Error(), "19 repeated") {
		t.Errorf("one question twenty times: %v", err)
	}
}

// TestRowForms: a set is the same problems in every form, as a file and as a folder.
func TestRowForms(t *testing.T) {
	var want []task.Problem
	for _, name := range []string{"qa.jsonl", "qa.json", "qa.csv", "qa.tsv", "qa.parquet"} {
		file := filepath.Join("testdata", name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, lay(t, map[string]string{name: string(data)})} {
			opened := openData(t, usual(func(s *DataSettings) { s.Path = path }))
			got := slices.Concat(drawn(t, opened, task.Train), drawn(t, opened, task.Test))
			if want == nil {
				want = got
			}
			if len(got) != 20 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d problems\n%+v\nwant\n%+v", path, len(got), got[:1], want[:1])
			}
		}
	}
	first := task.Problem{ID: "1", Question: "Which “word” comes\nafter 1, \"if any\"?", Truth: "The word; no. 1", Canonical: "word no 1", Fields: map[string]string{"id": "1", "level": "1", "share": "0.25", "easy": "false"}}
	if i := slices.IndexFunc(want, func(p task.Problem) bool { return p.ID == "1" }); i < 0 || !reflect.DeepEqual(want[i], first) {
		t.Errorf("problem %+v", want)
	}
}

// TestErrorsNameTheLine: what is wrong with a file says where.
func TestErrorsNameTheLine(t *testing.T) {
	for name, text := range map[string]string{
		"qa.jsonl": `{"question":"q","answer":"a"}` + "\n" + `{"question":"r"}`,
		"qa.json":  "[\n" + `{"question":"q"}` + "\n]",
		"qa.csv":   "question,wrong\nq,a\n",
	} {
		s := usual(func(s *DataSettings) { s.Path = filepath.Join(lay(t, map[string]string{name: text}), name) })
		if _, err := s.open(t.Context(), task.Environment{}); err == nil || !strings.Contains(err.Error(), name+":2: there is no answer: the keys are question") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"question":"q","answer":"a"}`, "choice")
	f.Add(`{"question":"q","answer":1,"choices":["a","b"]}`, "choice")
	f.Add(`{"question":"q","answer":"{","A":"1","B":"2"}`, "exact")
	f.Fuzz(func(t *testing.T, row, match string) {
		s := usual(func(s *DataSettings) { s.Match = Match(match) })
		item, err := s.read([]byte(row))
		if err != nil {
			return
		}
		if item.Question == "" || item.Truth == "" && s.Match != None {
			t.Fatalf("%s: %+v", row, item)
		}
		s.answerTo(item.Problem, row)
	})
}

// TestWhatTellsRowsApart: rows that differ in what somebody reads are different problems; rows that ask the same are on one side, unless all do;
// equal rows with other answers are told with their lines.
func TestWhatTellsRowsApart(t *testing.T) {
	riddles := func(prompts int) string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, `{"id":%d,"question":"Riddle %d: guess.","answer":"w","hidden":"h%d"}`+"\n", i, i%prompts, i/prompts)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		rows     string
		all      bool
		problems int
		account  string
	}{
		"hidden fields are read":     {rows: riddles(12), all: true, problems: 60},
		"hidden fields are not":      {rows: riddles(12), problems: 12, account: "48 repeated"},
		"one prompt":                 {rows: riddles(1), all: true, problems: 60},
		"equal rows":                 {rows: riddles(30) + strings.Replace(riddles(30), `"id":0,`, `"id":0, `, 1), all: true, problems: 60, account: "60 repeated"},
		"contradictions":             {rows: riddles(30) + `{"id":0,"question":"riddle 0: guess","answer":"x","hidden":"h0"}`, problems: 30, account: `1 rows ask what a row before asks and have another answer, and the first counts (qa.jsonl:1 has the answer "w", qa.jsonl:61 "x")`},
		"contradictions, all of it ": {rows: riddles(30) + `{"id":0,"question":"Riddle 0: guess.","answer":"x","hidden":"h0"}`, all: true, problems: 60, account: `qa.jsonl:61 "x"`},
	} {
		s := usual(func(s *DataSettings) {
			s.Path = filepath.Join(lay(t, map[string]string{"qa.jsonl": c.rows}), "qa.jsonl")
		})
		opened, err := s.open(t.Context(), task.Environment{Agents: 1, All: c.all})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		train, held := drawn(t, opened, task.Train), drawn(t, opened, task.Test)
		account := opened.(interface{ Account() string }).Account()
		if len(train)+len(held) != c.problems || !strings.Contains(account, c.account) || len(held) == 0 {
			t.Errorf("%s: %d and %d problems, want %d in all: %s", name, len(train), len(held), c.problems, account)
		}
		sides := map[string]bool{}
		for _, p := range held {
			sides[p.Question] = true
		}
		for _, p := range train {
			if sides[p.Question] && name != "one prompt" {
				t.Errorf("%s: %q is on both sides", name, p.Question)
			}
		}
	}
}

// TestChats: rows of verl, TRL and OpenAI's form are read as chats, in JSON, CSV and parquet; what stands before the question comes before it, and
// the right answer is in no field.
func TestChats(t *testing.T) {
	files := map[string]struct {
		row      string
		settings func(*DataSettings)
	}{
		"verl.jsonl": {`{"prompt":[{"role":"system","content":"Be brief."},{"role":"user","content":"%d + 3?"}],"reward_model":{"style":"rule","ground_truth":"%d"}}`, func(s *DataSettings) { s.Answer = "reward_model.ground_truth" }},
		"trl.jsonl":  {`{"prompt":[{"role":"system","content":"Be brief."},{"role":"user","content":"%d + 3?"}],"completion":[{"role":"assistant","content":"%d"}]}`, func(s *DataSettings) { s.Answer = "completion" }},
		"chat.jsonl": {`{"prompt":[{"role":"system","content":"Be brief."},{"role":"user","content":"%d + 3?"},{"role":"assistant","content":"%d"}]}`, func(*DataSettings) {}},
		"verl.csv":   {`"[{""role"": ""system"", ""content"": ""Be brief.""}, {""role"": ""user"", ""content"": ""%d + 3?""}]","{""style"": ""rule"", ""ground_truth"": ""%d""}"`, func(s *DataSettings) { s.Answer = "reward_model.ground_truth" }},
	}
	for name, c := range files {
		text := rows(c.row, 0)
		if strings.HasSuffix(name, ".csv") {
			text = "prompt,reward_model\n" + text
		}
		opened := openData(t, usual(func(s *DataSettings) {
			s.Question = "prompt"
			s.Path = filepath.Join(lay(t, map[string]string{name: text}), name)
			c.settings(s)
		}))
		p := drawn(t, opened, task.Train)[0]
		if !strings.HasSuffix(p.Question, " + 3?") || p.Truth == "" || !strings.HasPrefix(p.Question, p.Truth+" ") || len(p.Before) != 1 || p.Before[0] != (task.Message{Role: "system", Content: "Be brief."}) {
			t.Errorf("%s: %+v", name, p)
		}
		for key, value := range p.Fields {
			if strings.Contains(value, p.Truth) || strings.HasPrefix(name, "verl") && key != "reward_model.style" {
				t.Errorf("%s: field %s is %q", name, key, value)
			}
		}
	}
}

package labelled

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
	"parley/task/dataset"
)

// lines is a file in memory.
type lines string

func (l lines) Each(_ context.Context, record func(line int, data []byte) error) error {
	return dataset.EachLine("set.jsonl", strings.NewReader(string(l)), record)
}

// sample reads a file of testdata.
func sample(t testing.TB, name string) lines {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return lines(data)
}

func load(t testing.TB, form Format, o Options) *Task {
	t.Helper()
	loaded, err := New(t.Context(), form, o)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func problems(t testing.TB, loaded *Task, split task.Split) []task.Problem {
	t.Helper()
	list, err := loaded.Problems(split, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// items reads all records of a file.
func items(t *testing.T, form Format, file lines) (list []Item, noLabel int) {
	t.Helper()
	err := file.Each(t.Context(), func(_ int, data []byte) error {
		item, err := form.Read(data)
		if errors.As(err, new(*NoLabel)) {
			noLabel++
			return nil
		}
		list = append(list, item)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, noLabel
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		form     Format
		file     string
		truths   string
		question string // of the first record, its end
		noLabel  int
	}{
		{GSM8K, "gsm8k-test.jsonl", "18 3 70000 2125", "at the farmers' market?", 0},
		{SVAMP, "svamp.jsonl", "51 1 17 22 2 46 3 9 4 21 1 143", "25 dollars on each pack, how much do you have to pay to buy each pack?", 0},
		{GSMHard, "gsm-hard.jsonl", "-9867630 3431580", "at the farmers' market?", 2},
		{MATH, "math.jsonl", "4 375/2 8", "what is the value of $x$?", 1},
		{NLI, "snli.jsonl", "n e c e n c c n e", "eating lunch.", 0},
		{NLI, "wanli.jsonl", "e n n c", "The policy encourages the development of alternative energy sources.", 0},
		{NLI, "anli/R3/test.jsonl", "n c", "Premise: The ferry leaves every hour but one.\n\nHypothesis: The ferry leaves at noon.", 0},
	} {
		list, noLabel := items(t, c.form, sample(t, c.file))
		var truths []string
		for _, i := range list {
			truth := i.Truth
			if c.form.Name == "nli" {
				truth = truth[:1]
			}
			truths = append(truths, truth)
		}
		if got := strings.Join(truths, " "); got != c.truths || noLabel != c.noLabel {
			t.Errorf("%s: %s and %d unlabelled, want %s and %d", c.file, got, noLabel, c.truths, c.noLabel)
		}
		if !strings.HasSuffix(list[0].Question, c.question) {
			t.Errorf("%s: %q", c.file, list[0].Question)
		}
		for _, i := range list {
			if got, ok := c.form.Answer(`so \boxed{` + i.Truth + `}`); !ok || got != i.Truth {
				t.Errorf("%s: the right answer %s reads as %q", c.file, i.Truth, got)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	for label, want := range map[string]string{
		`"e"`: "entailment", `"neutral"`: "neutral", `"Contradiction"`: "contradiction", `0`: "entailment", `1`: "neutral", `2`: "contradiction",
		`0.0`: "entailment", `1.0`: "neutral", `2e0`: "contradiction", `"2"`: "contradiction", `" C "`: "contradiction", `-1.0`: "unlabelled", `0.5`: "broken", `true`: "broken",
		`-1`: "unlabelled", `"-"`: "unlabelled", `3`: "broken", `"yes"`: "broken", `null`: "broken",
	} {
		item, err := readNLI([]byte(`{"premise":"a","hypothesis":"b","label":` + label + `}`))
		got := item.Truth
		if errors.As(err, new(*NoLabel)) {
			got = "unlabelled"
		} else if err != nil {
			got = "broken"
		}
		if got != want {
			t.Errorf("label %s: %s (%v), want %s", label, got, err, want)
		}
	}
}

// TestRecordsOfPeople: scalars are what they say, whatever their type, keys are exact, and a row keeps its own id.
func TestRecordsOfPeople(t *testing.T) {
	for _, c := range []struct {
		form                               Format
		record, id, question, truth, level string
	}{
		{MATH, `{"problem":"p","solution":"\\boxed{3}","answer":"3","subject":"Algebra","level":5,"unique_id":"test/algebra/1.json"}`, "test/algebra/1.json", "p", "3", "5"},
		{MATH, `{"problem":"p","solution":"so \\boxed{\\frac{1}{2}}","level":"Level 5"}`, "", "p", "1/2", "Level 5"},
		{MATH, `{"ID":"2024-I-1","Problem":"p","Solution":"no box","Answer":204}`, "2024-I-1", "p", "204", ""},
		{MATH, `{"id":60,"problem":"p","answer":"204","url":"x","year":2024.0}`, "60", "p", "204", ""},
		{MATH, `{"question":"p","answer":70.0}`, "", "p", "70", ""},
		{GSM8K, `{"id":7,"question":"q","answer":"so\n#### 3","Answer":"no\n#### 4","Question":"other"}`, "7", "q", "3", ""},
		{SVAMP, `{"ID":17,"Body":"b.","Question":"q","Answer":"51.0"}`, "17", "b. q", "51", ""},
		{SVAMP, `{"ID":"chal-1","Body":"b.","Question":"q","Answer":51}`, "chal-1", "b. q", "51", ""},
		{GSMHard, `{"input":"q","target":"-7","id":"x"}`, "x", "q", "-7", ""},
		{TinyGSM, `{"question":"q","answer":"2.50","code":null}`, "", "q", "5/2", ""},
		{NLI, `{"uid":3,"premise":"p","hypothesis":"h","label":2.0}`, "3", "Premise: p\n\nHypothesis: h", "contradiction", ""},
		{NLI, `{"premise":"p","hypothesis":true,"gold_label":"neutral","label":null}`, "", "Premise: p\n\nHypothesis: true", "neutral", ""},
	} {
		item, err := c.form.Read([]byte(c.record))
		if err != nil || item.ID != c.id || item.Question != c.question || item.Truth != c.truth || item.Fields["level"] != c.level {
			t.Errorf("%s %s: %+v, %v", c.form.Name, c.record, item, err)
		}
	}
	for record, want := range map[string]string{
		`{"Question":"q","answer":"#### 3"}`:                "there is no question: the keys are Question, answer",
		`{"question":"q","question":"r","answer":"#### 3"}`: `key "question" stands twice`,
		`{"question":["q"],"answer":"#### 3"}`:              "question is",
		`{"question":" ","answer":"#### 3"}`:                "question is empty",
		`["q","#### 3"]`:                                    "no JSON object",
	} {
		if _, err := GSM8K.Read([]byte(record)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", record, err, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]string{
		"72": "72", " 2,125": "2125", "-5": "-5", "51.0": "51", "2.50": "5/2", "1e3": "1000", "1.5E-1": "3/20", "+7": "7", "007": "7",
		"1,234,567.50": "2469135/2", "-1,000": "-1000", "12.": "12",
		"": "", "x": "", "1e9999": "", "1/2": "", "NaN": "", "1 2": "", "0x10": "",
		"1,5": "", "12,34": "", "1.234,5": "", "1,2345": "", "1234,567": "", ",5": "", "1,": "", "1,,000": "", "0,5": "", "1,234e3": "", "1.5,000": "",
	} {
		if got, err := Number(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestNumbersOfADataSet: what is written with commas between thousands is read back; with a comma anywhere else it is refused, never read as
// another number.
func TestNumbersOfADataSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[1-9][0-9]{0,12}`).Draw(t, "digits")
		marked := digits
		for at := len(digits) - 3; at > 0; at -= 3 {
			marked = marked[:at] + "," + marked[at:]
		}
		for _, text := range []string{digits, marked, digits + ".0"} {
			if got, err := Number(text); got != digits {
				t.Fatalf("%s is read as %q, %v", text, got, err)
			}
		}
		at := rapid.IntRange(1, len(digits)).Draw(t, "at")
		misplaced := digits[:at] + "," + digits[at:]
		if got, err := Number(misplaced); misplaced != marked && (err == nil || got != "") {
			t.Fatalf("%s is read as %s", misplaced, got)
		}
	})
}

// TestGoldAnswersAreRefusedByLine: the error of a gold answer names its file and line, and what to write.
func TestGoldAnswersAreRefusedByLine(t *testing.T) {
	for _, gold := range []string{"1,5", "12,34", "1.234,5", "five", ""} {
		train := lines(`{"question":"q1","answer":"#### 4"}` + "\n" + `{"question":"q2","answer":"so\n#### ` + gold + `"}` + "\n")
		_, err := New(t.Context(), GSM8K, Options{Train: []File{train}})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("set.jsonl:2: answer %q is no number: ", gold)) {
			t.Errorf("#### %s: error %v", gold, err)
		}
	}
}

func TestBrokenRecords(t *testing.T) {
	const good = `{"question":"q%d","answer":"so\n#### %d"}` + "\n"
	file := lines(fmt.Sprintf(good, 1, 1) + `{"question":"q","answer":"no mark"}` + "\n" + `{"question":` + "\n" + fmt.Sprintf(good, 2, 2))
	test := []File{lines(fmt.Sprintf(good, 3, 3))}
	_, err := New(t.Context(), GSM8K, Options{Train: []File{file}, Test: test})
	if err == nil || !strings.Contains(err.Error(), `training problems: set.jsonl:2: answer has no line "#### number"; a set of another form is read by task data; task.bad_lines skip`) {
		t.Fatalf("error %v", err)
	}
	loaded := load(t, GSM8K, Options{Train: []File{file}, Test: test, SkipBroken: true})
	if got := loaded.Account(); got != "2 training problems, 0 for a verifier, 1 held out, none in two of them; left out: 2 broken" {
		t.Errorf("account: %s", got)
	}
	if _, err := New(t.Context(), GSM8K, Options{Train: []File{lines("")}}); err == nil || !strings.Contains(err.Error(), "0 training problems") {
		t.Errorf("empty set: %v", err)
	}
}

func TestSplits(t *testing.T) {
	loaded := load(t, NLI, Options{
		Train: []File{sample(t, "anli/R1/train.jsonl"), sample(t, "anli/R3/train.jsonl")},
		Test:  []File{sample(t, "anli/R3/test.jsonl")}, Verifier: 1,
	})
	var ids []string
	for _, split := range []task.Split{task.Verifier, task.Train, task.Test} {
		for _, p := range problems(t, loaded, split) {
			ids = append(ids, p.ID)
		}
	}
	// a2 has the premise of the verifier's a1, b1 that of the held-out t2.
	if got := strings.Join(ids, " "); got != "a1 b2 t1 t2" {
		t.Errorf("problems %s", got)
	}
	if got := loaded.Account(); got != "1 training problems, 1 for a verifier, 2 held out, none in two of them; left out: 1 of a held-out question or text, 1 of the verifier's" {
		t.Errorf("account: %s", got)
	}
}

// However a set is cut, no two problems share a question and no two splits share a group, and nothing is lost uncounted.
func TestSplitsAreDisjoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) lines {
			var b strings.Builder
			for range rapid.IntRange(1, 30).Draw(t, name) {
				premise, hypothesis := rapid.IntRange(0, 12).Draw(t, "premise"), rapid.IntRange(0, 3).Draw(t, "hypothesis")
				fmt.Fprintf(&b, `{"premise":"p%d","hypothesis":"h%d","label":"n"}`+"\n", premise, hypothesis)
			}
			return lines(b.String())
		}
		o := Options{Train: []File{draw("train")}, Verifier: rapid.IntRange(0, 10).Draw(t, "verifier")}
		if rapid.Bool().Draw(t, "test file") {
			o.Test = []File{draw("test")}
		}
		loaded, err := New(t.Context(), NLI, o)
		if err != nil {
			return // one split is empty, and the error says so
		}
		c := loaded.counts
		total := c.repeated + c.heldOut + c.verifier
		questions, owners := map[string]bool{}, map[string]task.Split{}
		for _, split := range []task.Split{task.Train, task.Verifier, task.Test} {
			list, err := loaded.Problems(split, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			total += len(list)
			for _, p := range list {
				premise := p.Fields["premise"]
				if owner, taken := owners[premise]; questions[p.Question] || taken && owner != split {
					t.Fatalf("%s of %s is elsewhere too", p.ID, split)
				}
				questions[p.Question], owners[premise] = true, split
			}
		}
		if loaded.Count(task.Verifier) > o.Verifier {
			t.Fatalf("%d problems for the verifier, asked for %d", loaded.Count(task.Verifier), o.Verifier)
		}
		records := 0
		for _, f := range append(o.Train, o.Test...) {
			records += strings.Count(string(f.(lines)), "\n")
		}
		if total != records {
			t.Fatalf("%d records became %d", records, total)
		}
	})
}

func TestTinyGSMWithoutAnswers(t *testing.T) {
	_, err := New(t.Context(), TinyGSM, Options{Train: []File{lines(`{"question":"q","code":"def simple_math_problem(): return 3"}`)}})
	if err == nil || !strings.Contains(err.Error(), "parley data prepare") {
		t.Errorf("error %v", err)
	}
}

func FuzzForms(f *testing.F) {
	for _, name := range []string{"gsm8k-train.jsonl", "svamp.jsonl", "gsm-hard.jsonl", "math.jsonl", "snli.jsonl", "wanli.jsonl", "anli/R1/train.jsonl"} {
		first, _, _ := strings.Cut(string(sample(f, name)), "\n")
		f.Add([]byte(first))
	}
	f.Add([]byte(`{"question":"q","answer":"#### 1,5"}`))
	f.Add([]byte(`{"problem":"p","solution":"\\boxed{3\\frac12}"}`))
	f.Add([]byte(`{"problem":"p","answer":"48{"}`))
	f.Add([]byte(`{"question":"q","answer":2.5}`))
	f.Add([]byte(`{"question":"q","answer":1e999}`))
	f.Fuzz(func(t *testing.T, record []byte) {
		for _, form := range []Format{GSM8K, SVAMP, GSMHard, MATH, TinyGSM, NLI} {
			item, err := form.Read(record)
			if err != nil {
				continue
			}
			if strings.TrimSpace(item.Question) == "" {
				t.Errorf("%s: no question", form.Name)
			}
			if got, ok := form.Answer(`\boxed{` + item.Truth + `}`); !ok || got != item.Truth {
				t.Errorf("%s: the right answer %q reads as %q", form.Name, item.Truth, got)
			}
		}
	})
}

package verifier

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/task"
	"parley/team"
)

var hot = Sampling{Low: 1, High: 1.5, TopP: 0.9, MaxTokens: 24}

// TestCollect: every sample is accounted for, and the solutions do not depend on how many questions there are beside them.
func TestCollect(t *testing.T) {
	b := tiny(t)
	collect := func(n int) ([]Solution, Tally) {
		list, tally, err := (&Collector{Base: b, Sampling: hot, Paths: 40, Seed: 5}).Collect(t.Context(), questions(n))
		if err != nil {
			t.Fatal(err)
		}
		return list, tally
	}
	few, _ := collect(3)
	many, tally := collect(20) // more than are sampled together
	if !reflect.DeepEqual(few, many[:len(few)]) {
		t.Error("solutions depend on the questions beside them")
	}
	dropped := 0
	for _, n := range tally.Dropped {
		dropped += n
	}
	if tally.Sampled != 800 || tally.Kept+dropped != 800 || tally.Right+tally.Wrong != tally.Kept || len(many) != tally.Kept {
		t.Errorf("%d solutions, tally %+v", len(many), tally)
	}
	if tally.Dropped[Unfinished] == 0 || tally.Right == 0 || tally.Wrong == 0 {
		t.Errorf("the test shows nothing: %+v", tally)
	}
	for _, s := range many {
		if answer, _ := b.Answer(s.Problem, s.Text); s.Right != (answer == "low") {
			t.Errorf("%q is labelled %v", s.Text, s.Right)
		}
	}
}

// TestBalance: every question that is kept has as many right as wrong solutions, each of them its own and no two the same
// sample; others are dropped and counted.
func TestBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		each := rapid.IntRange(1, 4).Draw(t, "each")
		var groups []Group
		enough := 0
		for _, p := range questions(rapid.IntRange(1, 8).Draw(t, "questions")) {
			g := Group{Problem: p}
			for i, right := range rapid.SliceOfN(rapid.Bool(), 0, 12).Draw(t, "labels") {
				g.Solutions = append(g.Solutions, Solution{Problem: p, Text: string(rune('a' + i)), Right: right})
			}
			if r, w := Count(g.Solutions); r >= each && w >= each {
				enough++
			}
			groups = append(groups, g)
		}
		balanced, dropped := Balance(groups, each, 3)
		kept := GroupByQuestion(balanced)
		if dropped != len(groups)-enough || len(kept) != enough {
			t.Fatalf("%d kept, %d dropped, %d questions have enough of %d", len(kept), dropped, enough, len(groups))
		}
		for _, g := range kept {
			seen := map[string]bool{}
			for _, s := range g.Solutions {
				if seen[s.Text] || s.Problem.ID != g.Problem.ID {
					t.Fatalf("%+v twice, or of another question than %s", s, g.Problem.ID)
				}
				seen[s.Text] = true
			}
			if r, w := Count(g.Solutions); r != each || w != each {
				t.Fatalf("%d right, %d wrong, want %d", r, w, each)
			}
		}
	})
}

// An obedient engine answers right where it is shown an example, and wrong where it is asked for an error.
type obedient struct{ engine.Engine }

func (o *obedient) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		wantsError := bytes.Contains(ints(r.Prompt), ints(spelled(errorWanted)))
		first := map[bool]int{true: 'z' - 'a', false: 7}[wantsError]
		out[i] = engine.Sample{Tokens: []int{first, 9, 0}, Stop: engine.StopEOS}
	}
	return out, nil
}

func ints(ids []int) []byte {
	out := make([]byte, len(ids))
	for i, id := range ids {
		out[i] = byte(id)
	}
	return out
}

// A stubborn engine writes on until its watcher ends it.
type stubborn struct{ engine.Engine }

func (stubborn) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		for out[i].Stop = engine.StopLength; len(out[i].Tokens) < r.MaxTokens && out[i].Stop == engine.StopLength; {
			out[i].Tokens = append(out[i].Tokens, len(out[i].Tokens))
			if r.Watch != nil && r.Watch.Ends(len(out[i].Tokens)-1) {
				out[i].Stop = engine.StopText
			}
		}
	}
	return out, nil
}

// atThree ends an answer at its fourth token.
type atThree struct{ Watcher }

func (atThree) Ends(token int) bool  { return token == 3 }
func (atThree) Text() (string, bool) { return "before", true }

// A solution that a stop text ends is whole, and its text ends before.
func TestSolutionsStopAtTexts(t *testing.T) {
	b := &Base{
		Engine: stubborn{}, Codec: letters{}, Context: 100,
		Answer: func(_ task.Problem, text string) (string, bool) { return text, true },
	}
	for _, want := range []struct {
		watch func(int) Watcher
		text  string
	}{{func(int) Watcher { return atThree{} }, "before"}, {nil, ""}} {
		b.Watch = want.watch
		got, err := b.sample(t.Context(), Sampling{MaxTokens: 9}, []request{{ask: []team.Message{{Content: "so"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if whole := got[0].fault != Unfinished; whole != (want.text != "") || whole && got[0].Text != want.text {
			t.Errorf("%q, %v", got[0].Text, got[0].fault)
		}
	}
}

// TestFill: what questions lack is found with the prompt that is meant for it, and the search is bounded.
func TestFill(t *testing.T) {
	p := questions(3)
	groups := []Group{{p[0], []Solution{{Problem: p[0], Right: true}}}, {p[1], []Solution{{Problem: p[1]}}}, {Problem: p[2]}}
	f := &Augmenter{Base: over(&obedient{}), Sampling: TrialSampling(8), Each: 3, Trials: 2, Samples: 2}
	tally, err := f.Augment(t.Context(), groups)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range groups {
		if r, w := Count(g.Solutions); r < 3 || w < 3 {
			t.Errorf("question %d: %d right, %d wrong", i, r, w)
		}
		for _, s := range g.Solutions {
			if s.Source == PromptedExample && !s.Right || s.Source == PromptedError && s.Right {
				t.Errorf("%+v has the wrong label", s)
			}
		}
	}
	if tally.Sampled != tally.Kept {
		t.Errorf("tally %+v", tally)
	}
	// One that never answers otherwise: the search ends, the question is dropped.
	stubborn := &Augmenter{Base: over(&obedient{}), Sampling: TrialSampling(8), Each: 3, Trials: 4, Samples: 2}
	stubborn.Base.Answer = func(task.Problem, string) (string, bool) { return "low", true }
	lone := []Group{{Problem: p[0]}}
	tally, err = stubborn.Augment(t.Context(), lone)
	if _, dropped := Balance(lone, 3, 1); err != nil || dropped != 1 || tally.Dropped[WrongLabel] != 8 {
		t.Errorf("dropped %d, tally %+v, %v", dropped, tally, err)
	}
}

// TestExample: the base's own reasoning comes before the data set's, and that before the bare answer.
func TestExample(t *testing.T) {
	g := Group{Problem: task.Problem{Truth: "5", Fields: map[string]string{solutionField: "gold"}}, Solutions: []Solution{{Text: "wrong"}, {Text: "own", Right: true}}}
	if got := example(g); got != "own" {
		t.Errorf("%q", got)
	}
	g.Solutions = g.Solutions[:1]
	if got := example(g); got != "gold" {
		t.Errorf("%q", got)
	}
	g.Problem.Fields = nil
	if got := example(g); got != `Answer: \boxed{5}` {
		t.Errorf("%q", got)
	}
}

// TestSplit: no question is on both sides, and nothing is lost.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []Solution
		for _, p := range questions(rapid.IntRange(2, 20).Draw(t, "questions")) {
			for range rapid.IntRange(1, 4).Draw(t, "solutions") {
				all = append(all, Solution{Problem: p})
			}
		}
		learned, held, err := Split(all, rapid.Float64Range(0.01, 0.99).Draw(t, "share"), 1)
		if err != nil || len(learned) == 0 || len(held) == 0 || len(learned)+len(held) != len(all) {
			t.Fatalf("%d and %d of %d, %v", len(learned), len(held), len(all), err)
		}
		for _, s := range held {
			if p, shared := Shared(Keys(learned), []task.Problem{s.Problem}); shared {
				t.Fatalf("%s is on both sides", p.ID)
			}
		}
	})
	if _, _, err := Split([]Solution{{Problem: questions(1)[0]}}, 0.5, 1); err == nil {
		t.Error("one question was split")
	}
}

// TestKeys: a question is the same under another name and with other blanks; other texts make another problem.
func TestKeys(t *testing.T) {
	a := KeyOf(task.Problem{ID: "1", Question: "What  is 1?\n"})
	if a != KeyOf(task.Problem{ID: "2", Question: "What is 1?", Truth: "1"}) || a == KeyOf(task.Problem{Question: "What is 2?"}) {
		t.Error("questions and keys do not go together")
	}
	if KeyOf(task.Problem{Fields: map[string]string{"premise": "x"}}) == KeyOf(task.Problem{Fields: map[string]string{"premise": "y"}}) {
		t.Error("problems without a question share a key")
	}
}

// TestDataFolder: what was written is read, once; a folder is never overwritten.
func TestDataFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	m := DataManifest{Origin: Origin{Recipe: "r", SHA256: "h"}, Questions: 2, Data: Tally{Sampled: 3, Kept: 2, Dropped: map[Fault]int{Unparsed: 1}}}
	list := []Solution{{Problem: questions(1)[0], Text: "a\nb <c>", Shown: "a", Right: true, Source: Sampled}, {Problem: questions(2)[1], Text: "x", Shown: "x", Source: PromptedError}}
	if err := WriteData(dir, m, list); err != nil {
		t.Fatal(err)
	}
	back, read, err := ReadData(dir)
	if err != nil || !reflect.DeepEqual(back, m) || !reflect.DeepEqual(read, list) {
		t.Errorf("%+v, %+v, %v", back, read, err)
	}
	if err := WriteData(dir, m, nil); err == nil {
		t.Error("the folder was overwritten")
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "verifier train") {
		t.Errorf("data were read as a verifier: %v", err)
	}
}

func FuzzParseSolutions(f *testing.F) {
	line, _ := json.Marshal(Solution{Problem: questions(1)[0], Text: "a", Shown: "a"})
	f.Add(append(line, '\n'))
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n{\"shown\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseSolutions(bytes.NewReader(data))
		for _, s := range list {
			if err != nil || strings.TrimSpace(s.Shown) == "" {
				t.Fatalf("%+v, %v", s, err)
			}
		}
	})
}

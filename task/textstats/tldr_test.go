package textstats

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task"
)

var _ interface {
	task.Task
	task.JointScorer
} = (*TLDR)(nil)

func newTLDR(t *testing.T, o TLDROptions) *TLDR {
	t.Helper()
	tl, err := NewTLDR(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestSample(t *testing.T) {
	tl := newTLDR(t, TLDROptions{})
	seen := map[string]bool{}
	for _, split := range []task.Split{task.Train, task.Test} {
		problems, err := tl.Problems(split, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != 24 {
			t.Errorf("%s has %d problems, want 24", split, len(problems))
		}
		for _, p := range problems {
			if seen[p.ID] || seen[p.Question] {
				t.Errorf("problem %s appears twice", p.ID)
			}
			seen[p.ID], seen[p.Question] = true, true
			if Count(p.Question) < 30 || p.Fields["title"] == "" || p.Fields["reference"] == "" || p.Truth != "" {
				t.Errorf("problem %+v", p)
			}
		}
		first, err := tl.Problems(split, 3)
		if err != nil || len(first) != 3 || first[2].ID != problems[2].ID {
			t.Errorf("the first three: %v, %v", first, err)
		}
	}
	if _, err := tl.Problems("dev", 1); err == nil {
		t.Error("split dev is known")
	}
}

// TestMade: posts that are made are as posts are that are read, and none is held out and trained on.
func TestMadePosts(t *testing.T) {
	tl := newTLDR(t, TLDROptions{Made: true})
	for split, want := range map[task.Split]int{task.Train: 160, task.Test: 60} {
		problems, err := tl.Problems(split, 1000)
		if err != nil || len(problems) != want || tl.LeftOut() != 0 {
			t.Fatalf("%s has %d problems, %d left out, %v", split, len(problems), tl.LeftOut(), err)
		}
		for _, p := range problems {
			if !strings.HasPrefix(p.Question, "I live in ") || !strings.HasSuffix(p.Question, "?") || p.Fields["subreddit"] != "r/advice" {
				t.Errorf("problem %+v", p)
			}
		}
	}
}

func TestReadBothForms(t *testing.T) {
	const lines = `{"paper_id":"p1","title":"A title","source":["One.","Two."],"target":["Short.","Other."]}

{"prompt":"SUBREDDIT: r/running\n\nTITLE: My knee\n\nPOST: It hurts.\nStill.\n\nTL;DR:","completion":" knee hurts"}
{"prompt":"Just a text","completion":""}
`
	got, err := ReadPosts("mixed.jsonl", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	want := []task.Problem{
		{ID: "p1", Question: "One. Two.", Fields: map[string]string{
			"title": "A title", "reference": "Short.", "paper_id": "p1", "source": `["One.","Two."]`, "target": `["Short.","Other."]`,
		}},
		{ID: "line-3", Question: "It hurts.\nStill.", Fields: map[string]string{
			"title": "My knee", "subreddit": "r/running", "reference": "knee hurts", "completion": " knee hurts",
			"prompt": "SUBREDDIT: r/running\n\nTITLE: My knee\n\nPOST: It hurts.\nStill.\n\nTL;DR:",
		}},
		{ID: "line-4", Question: "Just a text", Fields: map[string]string{"completion": ""}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d problems, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.ID != w.ID || g.Question != w.Question || len(g.Fields) != len(w.Fields) {
			t.Errorf("problem %+v, want %+v", g, w)
		}
		for name, value := range w.Fields {
			if g.Fields[name] != value {
				t.Errorf("%s: %s is %q, want %q", w.ID, name, g.Fields[name], value)
			}
		}
	}
}

func TestReadErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n":                             "f.jsonl:1: no text to summarise",
		"\n{\"source\":[\" \"]}":           "f.jsonl:2: no text to summarise",
		`{"source":{"a":"b"}}`:             "f.jsonl:1: source is",
		"{\"prompt\":\"a\"}\n{\"prompt\":": "f.jsonl:2:",
		"":                                 "f.jsonl holds no problems",
	} {
		if _, err := ReadPosts("f.jsonl", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s…", text, err, want)
		}
	}
}

func TestNewFromFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"train.csv":   "prompt,completion\nA text,x\n\"Another, held out\",y\n",
		"test.jsonl":  `{"prompt":"Another, held out","completion":"x"}`,
		"extra.jsonl": `{"prompt":"One more","completion":"x"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tl := newTLDR(t, TLDROptions{Path: dir})
	if p, err := tl.Problems(task.Train, 5); err != nil || len(p) != 1 || p[0].Question != "A text" {
		t.Errorf("train: %v, %v", p, err)
	}
	if p, err := tl.Problems(task.Test, 99); err != nil || len(p) != 1 {
		t.Errorf("test: %d problems, %v", len(p), err)
	}
	if got := tl.Account(); tl.LeftOut() != 1 || got != "not used: extra.jsonl (no split); training problems left out, as they are held out too: 1" {
		t.Errorf("account %q, %d left out", got, tl.LeftOut())
	}
	for split, problems := range newTLDR(t, TLDROptions{}).Splits {
		if len(problems) != 24 {
			t.Errorf("%d papers of split %s", len(problems), split)
		}
	}
	if _, err := NewTLDR(t.Context(), TLDROptions{Path: filepath.Join(dir, "missing")}); err == nil {
		t.Error("a missing file is no error")
	}
	if _, err := NewTLDR(t.Context(), TLDROptions{Scorer: "strict"}); err == nil {
		t.Error("scorer strict is known")
	}
}

// tldrScore scores two texts under a scorer, without a source.
func tldrScore(t *testing.T, s task.RewardVariant, concise, detailed string) task.Score {
	t.Helper()
	got, err := newTLDR(t, TLDROptions{Scorer: s}).Score(t.Context(), task.Problem{}, []string{concise, detailed})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The true maximum of 2.98 is reached, and it is the range's.
func TestScoreReachesTheMaximum(t *testing.T) {
	concise := strings.Repeat("qq ", 14) + "pp zz xx vv bb nn mm kk jj"
	detailed := "zz xx vv bb nn mm kk jj pp furthermore for example in other words therefore conversely secondly certainly overall equally despite unless during ggg hhh jjj lll"
	got := tldrScore(t, task.Standard, concise, detailed)
	_, greatest := newTLDR(t, TLDROptions{}).Range()
	if math.Abs(got.Reward-greatest) > 1e-9 || math.Abs(greatest-2.98) > 1e-9 {
		t.Errorf("reward %v of at most %v", got.Reward, greatest)
	}
	sum := 0.0
	for _, part := range got.Parts {
		sum += part
	}
	if math.Abs(sum-got.Reward) > 1e-12 {
		t.Errorf("parts %v sum to %v, reward %v", got.Parts, sum, got.Reward)
	}
	if robust := tldrScore(t, task.Robust, concise, detailed); robust.Reward >= got.Reward || len(robust.Flags) == 0 {
		t.Errorf("robust: %+v", robust)
	}
}

func FuzzReadPosts(f *testing.F) {
	f.Add([]byte(`{"paper_id":"p","title":"t","source":["a"],"target":["b"]}`))
	f.Add([]byte(`{"prompt":"SUBREDDIT: r/x\n\nTITLE: y\n\nPOST: z\n\nTL;DR:","completion":"c"}`))
	f.Add([]byte("{\"prompt\":\"POST: TL;DR:\"}\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		problems, err := ReadPosts("fuzz", strings.NewReader(string(data)))
		if err == nil && len(problems) == 0 {
			t.Fatal("no problems and no error")
		}
		for _, p := range problems {
			if p.ID == "" || strings.TrimSpace(p.Question) == "" {
				t.Fatalf("problem %+v", p)
			}
		}
	})
}

// TestMAGRPOSection63: one response that holds both paragraphs earns what two responses earn, and nothing without the delimiter, unless it is cut as
// published.
func TestMAGRPOSection63(t *testing.T) {
	p := task.Problem{Question: strings.Repeat("Robots fold large towels together and wait for each other. ", 5)}
	concise := "Robots fold large towels together and wait for each other."
	detailed := "Furthermore, several clever robots fold very large and heavy towels together, while both of them wait patiently for each other and watch."
	for _, scorer := range []task.RewardVariant{task.Standard, task.Robust, task.Compat} {
		tl := newTLDR(t, TLDROptions{Scorer: scorer})
		score := func(responses ...string) task.Score {
			s, err := tl.Score(t.Context(), p, responses)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		pair, one, uncut := score(concise, detailed), score(concise+"\n[PARAGRAPH_SPLIT]\n"+detailed), score(concise+"\n\n"+detailed)
		if pair.Reward < 1 || one.Reward != pair.Reward || len(one.Signals.Usable) != 1 || !one.Signals.Usable[0] {
			t.Errorf("%s: %+v, two responses %+v", scorer, one, pair)
		}
		if (uncut.Reward > 0) != (scorer == task.Compat) || uncut.Signals.Usable[0] != (scorer == task.Compat) {
			t.Errorf("%s without delimiter: %+v", scorer, uncut)
		}
		for _, responses := range [][]string{nil, {"a", "b", "c"}} {
			if _, err := tl.Score(t.Context(), p, responses); err == nil {
				t.Errorf("%d responses are scored", len(responses))
			}
		}
	}
}

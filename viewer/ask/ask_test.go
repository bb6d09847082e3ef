package ask_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/engine/native"
	"parley/internal/folder"
	"parley/recipe/language"
	"parley/train"
	"parley/viewer/ask"
)

// trained trains a run by a shipped recipe, and returns what asks it.
func trained(t *testing.T, recipe string, sets ...string) ask.Options {
	t.Helper()
	l := language.New()
	r, err := l.Load(recipe, append(sets, "training.checkpoint=1", "eval.problems=1"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := train.Run(t.Context(), train.Options{Recipe: r, Language: l, Backend: native.Backend{}, Dir: dir, MaxUpdates: -1, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return ask.Options{Dir: dir, Language: l, Backend: native.Backend{}, Now: time.Now}
}

func answer(t *testing.T, o ask.Options, q ask.Question) ask.Result {
	t.Helper()
	r, err := ask.Ask(t.Context(), o, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func texts(r ask.Result) (out []string) {
	for _, l := range r.Lines {
		out = append(out, l.Text)
	}
	return out
}

// TestAsk: a team works on a question turn by turn, as it is and as it was, an agent answers alone, and all of it is kept with the run.
func TestAsk(t *testing.T) {
	o := trained(t, "chain-tiny", "training.updates=2", "training.problems=2")
	hot := 5.0
	const question = "What is 2 + 3?"
	now := answer(t, o, ask.Question{Text: question})
	if len(now.Lines) != 3 || now.Lines[1].Name != "critic" || now.Lines[2].Turn != 2 || now.Update != 2 || now.Agent != "" {
		t.Fatalf("the team: %+v", now)
	}
	if now.Answer == "" || now.Answer != now.Lines[2].Text || now.Vote {
		t.Errorf("the workflow says that the editor answers; the answer is %q of %q", now.Answer, texts(now))
	}
	if again := answer(t, o, ask.Question{Text: question, Update: 2}); !slices.Equal(texts(again), texts(now)) || again.Update != 2 {
		t.Errorf("as after the last update it says %q, now %q", texts(again), texts(now))
	}
	one := answer(t, o, ask.Question{Text: question, Temperature: &hot, Seed: 1, Update: 1})
	if one.Update != 1 || slices.Equal(texts(one), texts(answer(t, o, ask.Question{Text: question, Temperature: &hot, Seed: 2, Update: 1}))) {
		t.Errorf("another seed says the same: %+v", one)
	}
	if same := answer(t, o, ask.Question{Text: question, Temperature: &hot, Seed: 1, Update: 1}); !slices.Equal(texts(one), texts(same)) {
		t.Errorf("the same seed says %q and %q", texts(one), texts(same))
	}
	alone := answer(t, o, ask.Question{Text: question, Agent: "critic"})
	if len(alone.Lines) != 1 || alone.Agent != "critic" || alone.Lines[0].Agent != 1 || alone.Answer != "" {
		t.Errorf("the critic alone: %+v", alone)
	}
	if by := answer(t, o, ask.Question{Text: question, Agent: "2"}); !slices.Equal(texts(by), texts(alone)) {
		t.Errorf("by its number it says %q, by its name %q", texts(by), texts(alone))
	}
	kept, _, err := ask.Read(o.Dir)
	if err != nil || len(kept) != 7 || !slices.Equal(texts(kept[0]), texts(now)) || kept[6].Agent != "critic" {
		t.Errorf("kept are %+v, %v", kept, err)
	}
	refuses(t, o)
}

// refuses asks what is wrong: nothing of it is kept.
func refuses(t *testing.T, o ask.Options) {
	t.Helper()
	before, _, _ := ask.Read(o.Dir)
	cold, tiny, none := -1.0, 1e-300, math.NaN()
	for _, c := range []struct {
		says string
		q    ask.Question
	}{
		{"is empty", ask.Question{Text: " \n"}},
		{"has 9000 bytes", ask.Question{Text: strings.Repeat("x", 9000)}},
		{"is no text", ask.Question{Text: "a\x00b"}},
		{"is no text", ask.Question{Text: "a\xff"}},
		{"no update -1", ask.Question{Text: "?", Update: -1}},
		{"no checkpoint of update 9", ask.Question{Text: "?", Update: 9}},
		{"the temperature is -1", ask.Question{Text: "?", Temperature: &cold}},
		{"must be 0 or at least 0.001", ask.Question{Text: "?", Temperature: &tiny}},
		{"the temperature is NaN", ask.Question{Text: "?", Temperature: &none}},
		{"the agents are writer, critic, editor", ask.Question{Text: "?", Agent: "nobody"}},
		{"the team has 3 agents", ask.Question{Text: "?", Agent: "4"}},
	} {
		var wrong *ask.QuestionError
		if _, err := ask.Ask(t.Context(), o, c.q); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: %v, want %q", c.q.Text, err, c.says)
		}
	}
	if after, _, err := ask.Read(o.Dir); err != nil || len(after) != len(before) {
		t.Errorf("%d are kept, %d were before: %v", len(after), len(before), err)
	}
	if err := os.Remove(filepath.Join(o.Dir, ask.File)); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(t.TempDir(), "theirs")
	if err := os.Symlink(theirs, filepath.Join(o.Dir, ask.File)); err != nil {
		t.Fatal(err)
	}
	var unkept *folder.KeepError
	if r, err := ask.Ask(t.Context(), o, ask.Question{Text: "?"}); !errors.As(err, &unkept) || len(r.Lines) != 3 {
		t.Errorf("an answer that a link keeps from the run: %+v, %v", r, err)
	}
	if _, err := os.Stat(theirs); err == nil {
		t.Error("what the link points to was written")
	}
}

// TestVote: where no workflow says what the team answers, the last turn votes.
func TestVote(t *testing.T) {
	o := trained(t, "debate-sums", "training.updates=1", "training.problems=2")
	r := answer(t, o, ask.Question{Text: "What is 2 + 3?"})
	if len(r.Lines) != 4 || !r.Vote || r.Answer != r.Lines[2].Text && r.Answer != r.Lines[3].Text {
		t.Errorf("%+v", r)
	}
}

// TestNotAsked: a team in an environment has no free question, and says so.
func TestNotAsked(t *testing.T) {
	o := trained(t, "read-s-tiny")
	var wrong *ask.QuestionError
	if _, err := ask.Ask(t.Context(), o, ask.Question{Text: "Where to?"}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "acts in an environment") {
		t.Errorf("%v", err)
	}
}

// TestUntrained: a run in which nothing is trained has no checkpoint, and can be asked; agents who write one text say who wrote what.
func TestUntrained(t *testing.T) {
	o := trained(t, "collab-tiny")
	if r := answer(t, o, ask.Question{Text: "What is 2 + 3?"}); len(r.Lines) != 1 || r.Update != 0 || !strings.Contains(r.Lines[0].Beside, "plain") {
		t.Errorf("%+v", r)
	}
	var wrong *ask.QuestionError
	if _, err := ask.Ask(t.Context(), o, ask.Question{Text: "?", Update: 1}); !errors.As(err, &wrong) {
		t.Errorf("as after an update: %v", err)
	}
}

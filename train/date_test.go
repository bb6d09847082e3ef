package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/engine/native"
	"parley/model"
	"parley/model/modeltest"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/serve/chatsession"
	"parley/serve/talk"
	"parley/team"
	"parley/train"
	"parley/train/shortrun"
)

// A template that prints the date prints the recipe's in all of a run: it goes on on another day as on the same one.
func TestDateStays(t *testing.T) {
	base := modeltest.Dated(t)
	sets := []string{"model=" + base, "training.updates=2", "training.problems=1", "eval.problems=1", "ppo.epochs=1", "ppo.minibatches=1", "sampling.max_tokens=8"}
	whole := quick(t, "debate-sums", append(sets, "date=2020-01-02")...)
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	checkPrompts(t, base, whole.Dir, "02 Jan 2020")

	broken := quick(t, "debate-sums", append(sets, "date=2020-01-02")...)
	if _, err := train.Run(stopAfter(&broken, train.Updated, 1), broken); err == nil {
		t.Fatal("the run was not interrupted")
	}
	again := quick(t, "debate-sums", sets...) // as the recipe is today, without a date
	again.Dir, again.Resume = broken.Dir, true
	if _, err := train.Run(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(metricsFile(t, broken.Dir), metricsFile(t, whole.Dir)) {
		t.Error("metrics.jsonl of the run that went on on another day differs")
	}
	other := quick(t, "debate-sums", append(sets, "date=2021-03-04")...)
	other.Dir, other.Resume = whole.Dir, true
	if _, err := train.Run(context.Background(), other); err == nil || !strings.Contains(err.Error(), "2021-03-04") {
		t.Errorf("another date is taken: %v", err)
	}
	asked, err := talk.Open(context.Background(), train.Options{Language: language.New(), Dir: whole.Dir, Backend: native.Backend{}})
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	m := asked.Speaker(0, 0).(chatsession.Speaker).Model
	ids, err := m.Prompt([]team.Message{{Role: team.User, Content: "so"}})
	if text := m.Text(ids); err != nil || !strings.HasPrefix(text, "02 Jan 2020") {
		t.Errorf("the team to talk to is asked %q, %v", text, err)
	}
}

// Without a date, it is the day that the run begins, which run.json has; an experiment's runs have one. What prints no date has none.
func TestDateIsRecorded(t *testing.T) {
	base := modeltest.Dated(t)
	for name, c := range map[string]struct {
		sets []string
		runs []string // folders
		date bool
	}{
		"a run":                     {[]string{"model=" + base, "ppo.epochs=1"}, []string{"", runs.TrainedSingle}, true},
		"an experiment":             {[]string{"model=" + base, "experiment.seeds=[1, 2]", "eval.baselines=[]", "training.updates=0"}, []string{"", "s1", "s2"}, true},
		"a model without any dates": {[]string{"training.updates=0"}, []string{""}, false},
	} {
		before := time.Now().Format(time.DateOnly)
		o := quick(t, "debate-sums", append([]string{"training.updates=1", "training.problems=1", "ppo.minibatches=1", "eval.problems=1", "sampling.max_tokens=8", "eval.baselines=[trained-single]"}, c.sets...)...)
		if name == "an experiment" {
			o.Recipe = shortrun.Load(t, "debate-sums", append([]string{"training.problems=1", "ppo.minibatches=1", "eval.problems=1", "task.train=20"}, c.sets...)...)
		}
		if _, err := train.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		for _, dir := range c.runs {
			meta, err := runs.Read(o.Dir + "/" + dir)
			if err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(meta.Recipe, `date: "`+before) || strings.Contains(meta.Recipe, `date: "`+time.Now().Format(time.DateOnly)); has != c.date {
				t.Errorf("%s: %s/run.json has its date: %v", name, dir, has)
			}
		}
	}
}

// checkPrompts checks that all prompts of the first update begin with a date.
func checkPrompts(t *testing.T, base, dir, date string) {
	t.Helper()
	m, err := model.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	err = runs.ReadEpisodes(dir, 1, func(data []byte) error {
		var e rollout.Episode
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				if text := m.Text(a.Prompt); !strings.HasPrefix(text, date) {
					t.Errorf("a prompt begins with %.20q, want %q", text, date)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

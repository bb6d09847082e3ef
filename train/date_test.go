package train_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/model"
	"parley/model/modeltest"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train"
	"parley/train/shortrun"
)

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

//go:build long

package train_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// TestLongTrainFurther: a finished run that is trained further goes on as if it had been longer from the start, with a learning rate that does
// not depend on that; its report is made again, beside the single agent's, and it can be verified before and after the join.
func TestLongTrainFurther(t *testing.T) {
	sets := []string{"optimizer.decay=none", "eval.baselines=[trained-single, majority-vote]", "training.keep=4", "ppo.epochs=1", "eval.problems=4"}
	whole := quick(t, "debate-sums", sets...)
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	short := quick(t, "debate-sums", append(sets, "training.updates=2")...)
	if _, err := train.Run(context.Background(), short); err != nil {
		t.Fatal(err)
	}
	result, err := goOn(t, short, func(o *train.Options) { o.Further = 2 })
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, short.Dir)) {
		t.Error("metrics.jsonl differs from that of a run that was so long from the start")
	}
	if !bytes.Equal(metricsFile(t, filepath.Join(whole.Dir, runs.TrainedSingle)), metricsFile(t, filepath.Join(short.Dir, runs.TrainedSingle))) {
		t.Error("the single agent's metrics differ")
	}
	report, err := runs.ReadReport(whole.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range report.Rows {
		if got := result.Report.Rows[i]; got.System != row.System || got.Score != row.Score || got.TokensPerProblem != row.TokensPerProblem {
			t.Errorf("row %+v, want %+v", got, row)
		}
	}
	if result.Report.Updates != 4 || len(result.Report.Changes) != 1 || result.Report.Changes[0].String() != "training.updates was 2, now 4" || !strings.Contains(result.Text, "- after update 2: training.updates was 2, now 4") {
		t.Errorf("report %+v\n%s", result.Report, result.Text)
	}
	for _, update := range []int{2, 3} {
		if v := verified(t, short.Dir, update); !v.OK {
			t.Errorf("update %d: %q", update, v.Problems)
		}
	}
}

// TestLongExperiment: every variant is run with every seed, the report has their means, and an experiment that lost a run makes that one
// again and no other.
func TestLongExperiment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	result, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: twoRuns(t), Dir: dir, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"reinforced-s1", "reinforced-s2", "supervised-s1", "supervised-s2"}; !slices.Equal(result.Report.Runs, want) || result.Report.Updates != 8 {
		t.Errorf("runs %q, want %q; %d updates", result.Report.Runs, want, result.Report.Updates)
	}
	var scores, per []float64
	for _, name := range []string{"supervised-s1", "supervised-s2"} {
		one, err := runs.ReadReport(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		row, _ := one.Row(runs.Trained)
		scores, per = append(scores, row.Score), append(per, row.PerTurn[0])
	}
	found := false
	for _, row := range result.Report.Rows {
		if row.Variant == "supervised" && row.System == runs.Trained {
			found = true
			if math.Abs(row.Score-(scores[0]+scores[1])/2) > 1e-12 || math.Abs(row.PerTurn[0]-(per[0]+per[1])/2) > 1e-12 || len(row.PerTurnCI95) != 2 {
				t.Errorf("row %+v of scores %v", row, scores)
			}
			if row.Turns[1].CI95 != row.PerTurnCI95[1] || row.Transitions[0].Answers.CI95 == nil || row.Transitions[0].Votes.CI95 == nil {
				t.Errorf("no intervals over seeds in %+v", row)
			}
		}
	}
	if !found || !strings.Contains(result.Text, "supervised   trained") {
		t.Errorf("no row of the trained supervised team in\n%s", result.Text)
	}
	kept := stat(t, filepath.Join(dir, "reinforced-s1", "report.json"))
	if err := os.RemoveAll(filepath.Join(dir, "supervised-s2")); err != nil {
		t.Fatal(err)
	}
	again, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: dir, Resume: true, MaxUpdates: -1, Observe: func(train.Event) {}})
	if err != nil || again.Text != result.Text || stat(t, filepath.Join(dir, "reinforced-s1", "report.json")) != kept {
		t.Errorf("resumed: %v\n%s\nwas\n%s", err, again.Text, result.Text)
	}
	if _, err := train.Evaluate(t.Context(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: dir}); err == nil || !strings.Contains(err.Error(), "experiment") {
		t.Errorf("an experiment is evaluated as a run: %v", err)
	}
}

// TestLongFilter: the team and the single agent beside it train on the problems between the bounds, and on no others; a run that
// was stopped while it measured them measures the rest, and is the same run.
func TestLongFilter(t *testing.T) {
	whole := quick(t, "debate-sums", append([]string{"eval.baselines=[trained-single]"}, filtered...)...)
	if _, err := train.Run(context.Background(), whole); err != nil {
		t.Fatal(err)
	}
	rates := ratesFile(t, whole.Dir)
	var between []string
	for _, r := range rates {
		if r.Samples != 4 {
			t.Errorf("%d answers to %s", r.Samples, r.ID)
		}
		if s := r.Share(); s >= 0.1 && s <= 0.7 {
			between = append(between, r.ID)
		}
	}
	if len(rates) != 20 || len(between) == 0 || len(between) == 20 {
		t.Fatalf("%d of %d problems are kept: the test tells nothing", len(between), len(rates))
	}
	for _, dir := range []string{whole.Dir, filepath.Join(whole.Dir, "trained-single")} {
		for _, id := range trainedOn(t, dir, 2) {
			if !slices.Contains(between, id) {
				t.Errorf("%s trains on %s", dir, id)
			}
		}
	}

	broken := quick(t, "debate-sums", append([]string{"eval.baselines=[trained-single]"}, filtered...)...)
	ctx, stop := context.WithCancel(context.Background())
	broken.Observe = func(e train.Event) {
		if strings.HasPrefix(e.Message, "pass rates of the untrained model: 8 of 20") {
			stop()
		}
	}
	if _, err := train.Run(ctx, broken); !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted run says %v", err)
	}
	if n := len(ratesFile(t, broken.Dir)); n != 8 {
		t.Fatalf("%d rates before the interruption", n)
	}
	if _, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ratesFile(t, broken.Dir), rates) || string(metricsFile(t, broken.Dir)) != string(metricsFile(t, whole.Dir)) {
		t.Error("the resumed run differs")
	}
}

// TestLongEqualRecipes: recipes that MAPoRL says are one train to the same numbers, bit for bit.
func TestLongEqualRecipes(t *testing.T) {
	penalties := []string{"reward.penalties.min_tokens=20"} // so that scores of a debate differ from its labels
	for name, variants := range map[string][][]string{
		"one agent: influence is cumulative (2.2)": {
			{"team.agents=1", "team.turns=3", "reward.design=influence", "reward.gamma=0.7"},
			{"team.agents=1", "team.turns=3", "reward.design=cumulative", "reward.gamma=0.7"},
		},
		"one agent: a debate is self-correction (1)": {
			{"team.agents=1", "team.history=all"}, {"team.agents=1", "team.history=own"},
		},
		"gamma 0: the designs are equal (2.2)": {
			{"reward.gamma=0", "reward.design=influence"}, {"reward.gamma=0", "reward.design=cumulative"}, {"reward.design=immediate"},
		},
		"incentives 0 are none (2.3)": {
			{"reward.incentives.rule=reference"}, {"reward.incentives.by=verifier"}, {},
		},
		"the two penalty scopes are one without reach (2.1)": {
			{"reward.design=immediate", "reward.penalties.scope=score"}, {"reward.design=immediate", "reward.penalties.scope=own"},
		},
		"one turn: a design has nothing to look ahead to (2.2)": {
			{"team.turns=1", "reward.design=influence", "reward.gamma=0.3"}, {"team.turns=1", "reward.design=immediate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, _ := changed(t, append(penalties, variants[0]...)...)
			for _, v := range variants[1:] {
				if got, _ := changed(t, append(penalties, v...)...); got != want {
					t.Errorf("%v trains to\n%s\nand %v to\n%s", v, got, variants[0], want)
				}
			}
		})
	}
}

// A student with teachers of another tokenizer goes on after an interruption as if there had been none, and knows the held-out texts better.
func TestLongFuseResumes(t *testing.T) {
	got := systems(t, runTwice(t, "fuse-tiny", "task.train=16", "fuse.lambda=0.5"))
	if len(got) != 4 || got[1].System != "teacher parley-base" || got[2].CE != got[0].CE || got[1].Tokens == got[0].Tokens {
		t.Fatalf("%+v", got)
	}
	if !(got[3].PerChar < got[0].PerChar) {
		t.Errorf("the student's cross-entropy goes from %v to %v", got[0].PerChar, got[3].PerChar)
	}
}

// TestLongMetricsGolden: as TestMetricsGolden, with all recipes.
func TestLongMetricsGolden(t *testing.T) { metricsGolden(t, slices.Sorted(maps.Keys(goldens))) }

// TestLongByItselfResumes: as TestByItselfResumes.
func TestLongByItselfResumes(t *testing.T) {
	resumesByItself(t, byItself{"read-j-tiny", []string{"read.repeats=1", "read.critic=network", "read.steps=200"}, false},
		byItself{"mutual-tiny", []string{"experiment.variants={}", "mutual.teacher_every=7"}, false})
}

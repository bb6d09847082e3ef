//go:build long

package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/engine/native"
	"parley/model"
	"parley/model/modeltest"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/runs/store"
	"parley/serve/chatsession"
	"parley/task"
	"parley/team"
	"parley/train"
	"parley/train/estimate"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/plan"
	"parley/train/shortrun"
)

// oneStep is a workflow in which one agent is asked once.
const oneStep = `name: one
task: {name: sums}
team:
  protocol: workflow
  agents: {solver: {}}
  workflow:
    - {ask: solver, prompt: "Question: {{.Question}}\nSolve step by step. Answer: \\boxed{XX}"}
  answer: solver
policies: {sharing: per-agent}
sampling: {max_tokens: 24}
group: {size: 4}
optimizer: {lr: 0.001, warmup: 0, decay: none}
training: {updates: 2, problems: 8}
`

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

// TestLongPanelsChangeNothing: whatever learns, a panel after every update adds its own field to the lines of the kept metrics, and changes no other. Of
// each algorithm and protocol there is one recipe.
func TestLongPanelsChangeNothing(t *testing.T) {
	kind := numericKind(t)
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(goldens)) {
		r := shortrun.Load(t, name, append(slices.Clone(tiny), goldens[name]...)...)
		learner := fmt.Sprint(r.Algorithm, r.Team.Protocol)
		if seen[learner] || r.AlgorithmType().Alone() || r.AlgorithmType().Untrained() {
			continue
		}
		seen[learner] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := shortrun.Run(t, shortrun.Load(t, name, append(append(slices.Clone(tiny), goldens[name]...), "eval.every=1", "eval.panel=1")...))
			got := bytes.Split(bytes.TrimSpace(metricsFile(t, result.Dir)), []byte("\n"))
			want := bytes.Split(bytes.TrimSpace(runFile(t, filepath.Join("testdata", "metrics", kind), name+".jsonl")), []byte("\n"))
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
			for i := range got {
				panels := 0
				for _, d := range fieldDifferences(t, fmt.Sprintf("line %d", i+1), want[i], got[i]) {
					if strings.Contains(d, ", panel") {
						panels++
						continue
					}
					t.Error(d)
				}
				if panels == 0 && name != "vote-tiny" {
					t.Errorf("line %d has no panel", i+1)
				}
			}
		})
	}
}

// TestLongByItselfResumes: as TestByItselfResumes.
func TestLongByItselfResumes(t *testing.T) {
	resumesByItself(t, byItself{"read-s-tiny", []string{"read.repeats=1"}, false}, byItself{"read-j-tiny", []string{"read.repeats=1", "read.critic=network", "read.steps=200"}, false},
		byItself{"mutual-tiny", []string{"experiment.variants={}", "mutual.teacher_every=7"}, false})
}

// TestLongWordsAsWorkflows: a recipe whose team is printed as a workflow gives the same episodes and the same metrics, byte for byte.
func TestLongWordsAsWorkflows(t *testing.T) {
	l := language.New()
	few := []string{"training.updates=2", "training.problems=3", "eval.problems=2", "eval.baselines=[]", "engine.threads=1"}
	for _, c := range []struct {
		recipe string
		sets   []string
	}{
		{"debate-sums", nil},
		{"magrpo-tiny", nil},
		{"magrpo-tiny", []string{"team.protocol=leader", "team.turns=4", "group.size=2"}},
		{"magrpo-tiny", []string{"team.protocol=pipeline", "team.turns=2", "group.size=2"}},
		{"magrpo-tiny", []string{"team.protocol=central", "policies.sharing=shared", "group.size=2", "sampling.max_tokens=24", "team.prompts.roles=[Be short., Be long.]"}},
		{"magrpo-strbuild-tiny", nil},
		{"single-tiny", nil},
	} {
		word, err := l.Load(c.recipe, append(few, c.sets...))
		if err != nil {
			t.Fatal(err)
		}
		spec, ok, err := plan.Workflow(word)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", c.recipe, ok, err)
		}
		steps, err := l.Parse("steps.yaml", word.AsWorkflow(spec).YAML(), nil)
		if err != nil {
			t.Errorf("%s %v as a workflow: %v", c.recipe, c.sets, err)
			continue
		}
		a, b := filepath.Join(t.TempDir(), "word"), filepath.Join(t.TempDir(), "steps")
		if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: word, Dir: a, MaxUpdates: -1}); err != nil {
			t.Fatal(err)
		}
		if _, err := train.Run(t.Context(), train.Options{Backend: native.Backend{}, Recipe: steps, Dir: b, MaxUpdates: -1}); err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"metrics.jsonl", "episodes/*", "adapters/*/*.safetensors"} {
			files, err := filepath.Glob(filepath.Join(a, pattern))
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: no %s: %v", c.recipe, pattern, err)
			}
			for _, file := range files {
				name, err := filepath.Rel(a, file)
				if err != nil {
					t.Fatal(err)
				}
				x, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				y, err := os.ReadFile(filepath.Join(b, name))
				if err != nil || !bytes.Equal(x, y) {
					t.Errorf("%s %v: %s is another file (%v)", c.recipe, c.sets, name, err)
				}
			}
		}
	}
}

// TestLongOptions: what the reference code does otherwise trains too, and not to the same numbers as the defaults (4).
func TestLongOptions(t *testing.T) {
	plain, _ := changed(t)
	for _, set := range []string{"ppo.terminal=trl", "ppo.value_input=history", "ppo.value_half=false", "ppo.value_clip=0.001", "ppo.whiten=false", "reward.source=final-label"} {
		if got, _ := changed(t, set); got == plain {
			t.Errorf("%s changes nothing", set)
		}
	}
}

// TestLongWorkflowLearners: debates, critics and examples learn where an agent speaks several times or not at all. A policy takes a step only for
// what its agent said, and what is learned is a number.
func TestLongWorkflowLearners(t *testing.T) {
	text, err := os.ReadFile("../recipe/shipped/review-tiny.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "algorithm: magrpo\n")
	_, after, _ := strings.Cut(rest, "optimizer:")
	file := filepath.Join(t.TempDir(), "review.yaml")
	if err := os.WriteFile(file, []byte(before+"optimizer:"+after), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sets := range [][]string{
		{"algorithm=mappo"},
		{"algorithm=mappo", "policies.sharing=shared"},
		{"algorithm=mappo", "policies.sharing=per-turn"},
		{"algorithm=sft", "policies.sharing=per-turn"},
		{"algorithm=iac", "group.size=1"},
		{"algorithm=iac", "group.size=1", "policies.sharing=shared"},
		{"algorithm=iac", "group.size=1", "policies.sharing=per-turn"},
		{"algorithm=maac", "group.size=1"},
		{"algorithm=maac", "group.size=1", "policies.sharing=per-agent-turn"},
	} {
		r, err := language.New().Load(file, append(append([]string{"training.updates=1", "training.problems=4"}, sets...), shortrun.Small...))
		if err != nil {
			t.Fatal(err)
		}
		_, metrics := shortrun.Run(t, r)
		if m := metrics[0]; m.OptimizerSteps == 0 || len(m.GradNorm) == 0 || m.Nodes <= m.Problems || m.Nodes >= 5*m.Problems {
			t.Errorf("%v: %d steps of %v over %d nodes", sets, m.OptimizerSteps, m.GradNorm, m.Nodes)
		}
	}
}

// A critic that reads answers with the first prompt, though they were given to a shorter one, reads what fits its context.
func TestLongCriticReadsWhatFits(t *testing.T) {
	o := quick(t, "debate-sums", "team.chat_memory.original=false", "team.chat_memory.previous=false", "team.prompts.later=Go on.",
		"sampling.max_tokens=600", "sampling.min_tokens=600", "training.updates=1", "training.problems=2", "eval.baselines=[]")
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Error(err)
	}
}

// TestLongFirstPass: the first pass after a rollout has ratio 1 everywhere, and so clips nothing (13); with one pass there is no other.
func TestLongFirstPass(t *testing.T) {
	for _, sharing := range []string{"shared", "per-turn", "per-agent", "per-agent-turn", "first-and-later"} {
		_, metrics := changed(t, "policies.sharing="+sharing, "ppo.epochs=1", "ppo.minibatches=1")
		for _, m := range metrics {
			if m.FirstRatio != 0 || m.RatioMean != 1 || m.RatioMax != 1 || m.ClipShare != 0 {
				t.Errorf("%s, update %d: deviation %g, ratio %g to %g, clip share %g", sharing, m.Update, m.FirstRatio, m.RatioMean, m.RatioMax, m.ClipShare)
			}
		}
	}
}

// TestLongSilentAgents: agents who do not speak in every turn learn and are measured under every kind of algorithm. Each has a policy of its own,
// which takes steps; turns are reported by those who spoke, and no answer has moved from one to the next.
func TestLongSilentAgents(t *testing.T) {
	debate := "name: x\ntask: {name: sums}\nteam: {protocol: pipeline, agents: 2, turns: 2}\npolicies: {sharing: per-agent, rank: 4}\n" +
		"reward: {penalties: {min_tokens: 0}}\nsampling: {max_tokens: 24}\ntraining: {updates: 1, problems: 6}\neval: {problems: 6}\n"
	pair := strings.Replace(debate, "{name: sums}", "{name: duet}", 1)
	for name, c := range map[string]struct {
		recipe string
		sets   []string
		turns  int // in the report of a labelled task; 0: rewards are joint
	}{
		"pipeline, mappo":                     {debate, []string{"algorithm=mappo", "ppo.epochs=1", "ppo.minibatches=1"}, 2},
		"leader, mappo":                       {debate, []string{"algorithm=mappo", "ppo.epochs=1", "ppo.minibatches=1", "team.protocol=leader"}, 2},
		"pipeline, iac":                       {pair, []string{"algorithm=iac", "reward.source=joint", "group.size=1"}, 0},
		"leader, maac":                        {pair, []string{"algorithm=maac", "reward.source=joint", "group.size=1", "team.protocol=leader"}, 0},
		"pipeline, magrpo that may end early": {pair, []string{"algorithm=magrpo", "reward.source=joint", "group.size=2", "group.terminate=0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := language.New().Parse("f", []byte(c.recipe), c.sets)
			if err != nil {
				t.Fatal(err)
			}
			result, metrics := shortrun.Run(t, r)
			for _, policy := range []string{"policy-agent1", "policy-agent2"} {
				if _, ok := metrics[0].GradNorm[policy]; !ok {
					t.Errorf("%s has no step among %v", policy, metrics[0].GradNorm)
				}
			}
			if row, _ := result.Report.Row("trained"); len(row.Turns) != c.turns || row.Transitions != nil {
				t.Errorf("%d turns in the report, want %d, and transitions %v", len(row.Turns), c.turns, row.Transitions)
			}
		})
	}
}

// 2.4: what a dry run says of optimizer steps and environment steps is what a run takes whose trees do not end early, with critics and
// without.
func TestLongMAGRPOSection24StepsAreForeseen(t *testing.T) {
	for _, c := range []struct{ name, sets string }{
		{"magrpo-tiny", ""},
		{"magrpo-tiny", "team.turns=2 group.buffer=3 group.train_batch=2"},
		{"magrpo-tiny-cross", "team.turns=2 group.size=2 group.buffer=4 policies.sharing=shared"},
		{"magrpo-tiny", "team.turns=3 group.rollout=chain group.buffer=2"},
		{"magrpo-tiny", "training.updates=5 group.buffer=3 group.buffer_across_updates=true task.train=4"},
		{"magrpo-tiny", "policies.frozen=[1] team.turns=2"},
		{"single-tiny", "group.buffer=1"},
		{"iac-tiny", "group.buffer=3"},
		{"iac-tiny", "team.turns=2 group.size=1 critic.head=shared"},
		{"maac-tiny", "group.buffer=5 group.train_batch=2"},
		{"madpo-tiny", "preference.pairs=2 preference.batch=3 preference.candidates=8 preference.iterations=2 preference.replay=all sampling.max_tokens=48"},
	} {
		r := quick(t, c.name, append([]string{"training.updates=2", "training.problems=2", "sampling.max_tokens=4"}, strings.Fields(c.sets)...)...).Recipe
		e, err := estimate.DryRun(r, native.Backend{})
		if err != nil {
			t.Fatal(err)
		}
		_, metrics := shortrun.Run(t, r)
		taken := 0
		for _, m := range metrics {
			taken += m.OptimizerSteps
		}
		if fewer := r.Algorithm == "madpo"; taken != e.Steps && !(fewer && taken <= e.Steps) || taken == 0 {
			t.Errorf("%s %s: %d optimizer steps, foreseen %d", c.name, c.sets, taken, e.Steps)
		}
	}
}

// 4.5: the discount is honoured, the credit in cross mode is a mean, and both spellings of cross act alike.
func TestLongMAGRPOSection45DiscountAndCross(t *testing.T) {
	turns := []string{"team.turns=2", "group.size=2"}
	_, near := shortRun(t, append(turns, "group.discount=0")...)
	_, far := shortRun(t, append(turns, "group.discount=1")...)
	if near[0].Return[0] >= far[0].Return[0] {
		t.Errorf("mean credit %g without and %g with the second turn's rewards", near[0].Return[0], far[0].Return[0])
	}
	cross, _ := shortRun(t, "group.joint=cross")
	crossed, _ := shortRun(t, "group.joint=crossed")
	if !bytes.Equal(metricsFile(t, cross.Dir), metricsFile(t, crossed.Dir)) {
		t.Error("cross and crossed differ")
	}
	_, mean := shortRun(t, "group.joint=cross")
	_, sum := shortRun(t, "group.joint=cross", "group.cross_credit=sum")
	if got, want := sum[0].Return[0], 4*mean[0].Return[0]; got < want*0.999999 || got > want*1.000001 {
		t.Errorf("the sum of 4 credits is %g, their mean %g", got, mean[0].Return[0])
	}
}

// TestLongKLForms: a policy that has not learned has no divergence from the base, in any form; the exact one of a policy that has
// learned is positive, and the forms are three numbers.
func TestLongKLForms(t *testing.T) {
	seen := map[float64]string{}
	for _, form := range []string{"sampled", "ref_policy_sampled", "ref_policy_exact"} {
		_, metrics := changed(t, "ppo.kl_form="+form, "ppo.kl=0")
		first, second := *metrics[0].KL, *metrics[1].KL
		if first != 0 || form == "ref_policy_exact" && second <= 0 || seen[second] != "" {
			t.Errorf("%s: divergence %g, then %g (as %s)", form, first, second, seen[second])
		}
		seen[second] = form
	}
}

// A trained team teaches one student, which goes on after an interruption too.
func TestLongDistilledTeam(t *testing.T) {
	team := quick(t, "magrpo-tiny", "training.updates=1")
	if _, err := train.Run(context.Background(), team); err != nil {
		t.Fatal(err)
	}
	before := runFile(t, team.Dir, "adapters/policy-agent1/adapter_model.safetensors")
	got := systems(t, runTwice(t, "distil-team-tiny", "task.train=16", "distil.run="+team.Dir))
	if len(got) != 3 || got[1].System != "team magrpo-tiny" || !(got[2].CE < got[0].CE) {
		t.Errorf("%+v", got)
	}
	if !bytes.Equal(before, runFile(t, team.Dir, "adapters/policy-agent1/adapter_model.safetensors")) {
		t.Error("the team has changed")
	}
	both := systems(t, runTwice(t, "distil-team-tiny", "task.train=16", "distil.join= and ", "distil.run="+team.Dir))
	if len(both) != 3 || !(both[1].Tokens > 3*got[1].Tokens/2) || !(both[2].CE < both[0].CE) {
		t.Errorf("texts of both agents: %+v; of the last: %+v", both, got)
	}
	alone := quick(t, "distil-team-tiny")
	if _, err := train.Run(context.Background(), alone); err == nil || !strings.Contains(err.Error(), "distil.run is empty") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(alone.Dir); err == nil {
		t.Error("a student without a team leaves a run folder behind")
	}
}

// TestLongStillPolicy: a learning rate at which nothing moves is found after a few updates, with a debate's algorithm as with any other.
func TestLongStillPolicy(t *testing.T) {
	for _, c := range []struct {
		recipe, rate string
		try          string // a part of the advice; empty: it does not fire
		sets         []string
	}{
		{"debate-sums", "1e-6", "leave it out", []string{"ppo.epochs=1", "training.problems=4", "sampling.max_tokens=12"}},
		{"magrpo-tiny", "1e-6", "leave it out", nil},
		{"magrpo-tiny", "auto", "above what auto gives", []string{"optimizer.clip_norm=1e-12"}},
		{"magrpo-tiny", "0.003", "", nil},
		{"magrpo-tiny", "1e-6", "", []string{"optimizer.warmup=8"}}, // rates rise for all of the run
	} {
		sets := append([]string{"optimizer.lr=" + c.rate, "optimizer.warmup=0", "training.updates=8", "training.problems=2", "eval.problems=2", "eval.baselines=[]"}, c.sets...)
		result, _, _ := diagnosed(t, c.recipe, sets...)
		i := slices.IndexFunc(result.Report.Diagnostics, func(x store.Diagnostic) bool { return x.Kind == "still_policy" })
		if i >= 0 != (c.try != "") || i >= 0 && !strings.Contains(result.Report.Diagnostics[i].Remedy, c.try) {
			t.Errorf("%s at %s: %+v, want advice with %q", c.recipe, c.rate, result.Report.Diagnostics, c.try)
		}
	}
}

// Under a deadline that nobody misses problems advance one by one, and what is ready goes to the embedded engine in one call: no number changes.
func TestLongDeadlineChangesNothing(t *testing.T) {
	for name, sets := range map[string][]string{"magrpo-tiny": {"training.updates=2", "training.problems=2"}, "debate-sums": {"training.updates=1", "ppo.epochs=1"}} {
		plain, timed := quick(t, name, sets...), quick(t, name, append(sets, "training.deadline=1000")...)
		for _, o := range []train.Options{plain, timed} {
			if _, err := train.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(metricsFile(t, plain.Dir), metricsFile(t, timed.Dir)) {
			t.Errorf("%s: other metrics", name)
		}
	}
}

// TestLongQuestionTokens: problems with long questions are left out of training, of the single agent's too, counted and said; a bound that
// leaves none is the recipe's mistake.
func TestLongQuestionTokens(t *testing.T) {
	const most = 40
	base, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	o := quick(t, "debate-sums", "task.max_question_tokens=40", "eval.baselines=[trained-single]", "training.updates=2", "training.problems=12")
	var notes []string
	o.Observe = func(e train.Event) { notes = append(notes, e.Message) }
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if agentTurn := strings.Join(notes, "\n"); !strings.Contains(agentTurn, "of 100 training problems have questions of more than 40 tokens and are left out") || strings.Contains(agentTurn, ": 0 of 100") {
		t.Errorf("notes %q", notes)
	}
	for _, dir := range []string{o.Dir, filepath.Join(o.Dir, "trained-single")} {
		for update := range 2 {
			err := runs.ReadEpisodes(dir, update+1, func(data []byte) error {
				var e rollout.Episode
				if err := json.Unmarshal(data, &e); err != nil {
					return err
				}
				tokens, err := base.Prompt([]team.Message{{Role: team.User, Content: e.Problem.Question}})
				if len(tokens) > most {
					t.Errorf("%s trains on %s of %d tokens", dir, e.Problem.ID, len(tokens))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var user *train.UserError
	if _, err := train.Run(context.Background(), quick(t, "debate-sums", "task.max_question_tokens=3")); !errors.As(err, &user) || !strings.Contains(err.Error(), "the shortest has") {
		t.Errorf("a bound that leaves nothing: %v", err)
	}
}

// TestLongExperimentFurther: every run of an experiment is trained further.
func TestLongExperimentFurther(t *testing.T) {
	o := quick(t, "magrpo-tiny", "training.updates=1", "experiment.seeds=[1, 2]")
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	result, err := goOn(t, o, func(o *train.Options) { o.Further = 1 })
	if err != nil {
		t.Fatal(err)
	}
	if result.Report.Updates != 4 {
		t.Errorf("%d updates of all runs, want 4", result.Report.Updates)
	}
	for _, name := range []string{"s1", "s2"} {
		if data, err := os.ReadFile(filepath.Join(o.Dir, name, "metrics.jsonl")); err != nil || bytes.Count(data, []byte("\n")) != 2 {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
	if again, err := goOn(t, o, func(*train.Options) {}); err != nil || again.Report.Updates != 4 {
		t.Errorf("resumed again: %v", err)
	}
}

// TestLongTokensEndTraining: training.tokens ends the training of the team, and that of the single agent, behind the first update that reaches it;
// an interruption changes nothing, and what was reached is neither trained again nor further.
func TestLongTokensEndTraining(t *testing.T) {
	const budget = 900
	sets := []string{"training.updates=60", "training.tokens=900", "training.checkpoint=7", "optimizer.decay=none", "eval.baselines=[trained-single]"}
	whole := quick(t, "debate-sums", sets...)
	result, err := train.Run(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{whole.Dir, filepath.Join(whole.Dir, runs.TrainedSingle)} {
		before, all := 0, 0
		for line := range bytes.Lines(metricsFile(t, dir)) {
			var m struct{ Tokens int }
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			before, all = all, all+m.Tokens
		}
		if before >= budget || all < budget {
			t.Errorf("%s: %d tokens before the last update, %d behind it, want the budget between", dir, before, all)
		}
	}
	if r := result.Report; r.GeneratedTokens < budget || r.Updates >= 60 || r.Updates%7 == 0 {
		t.Errorf("the report has %d tokens and %d updates", r.GeneratedTokens, r.Updates)
	}
	broken := quick(t, "debate-sums", sets...)
	if _, err := train.Run(stopAfter(&broken, train.Updated, 2), broken); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := goOn(t, broken, func(*train.Options) {}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(metricsFile(t, whole.Dir), metricsFile(t, broken.Dir)) {
			t.Error("metrics.jsonl of an interrupted run differs")
		}
	}
	again := train.Options{Backend: native.Backend{}, Language: language.New(), Dir: broken.Dir, Resume: true, MaxUpdates: -1, Further: 2}
	if _, err := train.Run(context.Background(), again); err == nil || !strings.Contains(err.Error(), "training.tokens, 900") {
		t.Errorf("trained further: %v", err)
	}
}

// TestLongOneStepIsGRPO: one agent that is asked once learns the same from a tree as from whole episodes: both are GRPO. All that is learned from
// is equal to the bit; gradients are sums of float32 in another order, as the completions of a tree share the pass over their prompt.
func TestLongOneStepIsGRPO(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(oneStep), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"magrpo", "marloo", "maremax", "mareinforce"} {
		metrics := map[string][]train.Metrics{}
		for _, rollout := range []string{"tree", "episodes"} {
			r, err := language.New().Load(file, append([]string{"algorithm=" + algorithm, "group.rollout=" + rollout}, shortrun.Small...))
			if err != nil {
				t.Fatal(err)
			}
			_, metrics[rollout] = shortrun.Run(t, r)
		}
		for i := range metrics["tree"] {
			tree, episodes := metrics["tree"][i].Stats, metrics["episodes"][i].Stats
			norm, other := tree.GradNorm["policy-solver"], episodes.GradNorm["policy-solver"]
			if math.Abs(norm-other) > 1e-6*norm || i == 0 && norm == 0 {
				t.Errorf("%s, update %d: gradients of norm %v and %v", algorithm, i+1, norm, other)
			}
			tree.GradNorm, episodes.GradNorm = nil, nil
			if i == 0 && !reflect.DeepEqual(tree, episodes) {
				t.Errorf("%s: episodes\n%+v\ntree\n%+v", algorithm, episodes, tree)
			}
		}
	}
}

// TestLongResumeInWorld: a run that is interrupted in the middle of the episodes of an update, while agents act, and resumed writes the same metrics and
// episodes, byte for byte; so does one whose environment keeps its state but makes no random choices.
func TestLongResumeInWorld(t *testing.T) {
	for name, world := range map[string]string{"pure": fragile, "stateful": remembering} {
		t.Run(name, func(t *testing.T) {
			sets := []string{"training.checkpoint=1", "training.problems=2", "group.size=3", "eval.problems=1", "training.failed_share=1", fmt.Sprintf("task.environment.stateful=%v", name == "stateful")}
			whole := inWorld(t, world, sets...)
			if _, err := train.Run(t.Context(), whole); err != nil {
				t.Fatal(err)
			}
			broken := inWorld(t, world, sets...)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			folder := filepath.Dir(broken.Dir)
			updated := false
			broken.Observe = func(e train.Event) {
				if e.Kind != train.Updated || updated {
					return
				}
				updated = true // from now on the environment is interrupted at its first step
				go func() {
					for ctx.Err() == nil {
						if _, err := os.Stat(filepath.Join(folder, "acts")); err == nil {
							cancel()
						}
						time.Sleep(time.Millisecond)
					}
				}()
				if err := os.WriteFile(filepath.Join(folder, "trap"), nil, 0o644); err != nil {
					t.Error(err)
				}
			}
			trapped := "import os, time\n" + strings.Replace(world, "def step(state, actions):\n", fmt.Sprintf("def step(state, actions):\n    if os.path.exists(%q):\n        open(%q, 'w')\n        time.sleep(3600)\n",
				filepath.Join(folder, "trap"), filepath.Join(folder, "acts")), 1)
			if err := os.WriteFile(filepath.Join(folder, "world.py"), []byte(trapped), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := train.Run(ctx, broken); !errors.Is(err, train.ErrInterrupted) {
				t.Fatalf("the first run ended with %v", err)
			}
			if err := os.Remove(filepath.Join(folder, "trap")); err != nil {
				t.Fatal(err)
			}
			again := train.Options{Backend: native.Backend{}, Language: broken.Recipe.Language(), Dir: broken.Dir, Resume: true, MaxUpdates: -1}
			if _, err := train.Run(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			files := []string{"metrics.jsonl"}
			if name == "stateful" { // none fails, with a line of its own file as the reason
				files = append(files, "episodes/000002.jsonl.zst")
			}
			for _, file := range files {
				if !bytes.Equal(runFile(t, whole.Dir, file), runFile(t, broken.Dir, file)) {
					t.Errorf("%s differs from that of a run that nobody interrupted", file)
				}
			}
		})
	}
}

// TestLongTogether: agents who write one text are measured beside each of them at the same cost, the best of many texts and a vote. The run keeps who
// wrote what, which goes together with the text, and an interrupted run comes to the same bytes.
func TestLongTogether(t *testing.T) {
	o := quick(t, "collab-tiny", "eval.problems=3")
	result, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"collab", "controlled-explains", "controlled-plain", "alone-explains", "alone-plain", "best-of-n", "majority-vote"} {
		row := result.Report.Rows[i]
		spent := 0.0
		for _, c := range row.Costs {
			spent += c["tokens"]
		}
		if row.System != want || math.Abs(spent-row.TokensPerProblem) > 1e-9 || row.Latency <= 0 || row.Latency > row.TokensPerProblem {
			t.Errorf("row %d, want %s: %+v", i, want, row)
		}
	}
	best, _ := result.Report.Row("best-of-n")
	if team := result.Report.Rows[0]; math.Abs(best.TokensPerProblem/team.TokensPerProblem-1) > .2 {
		t.Errorf("the best of %v tokens beside a team of %v", best.TokensPerProblem, team.TokensPerProblem)
	}
	mean := 0.0
	for _, w := range traces(t, o.Dir) {
		text, tokens := "", 0
		for i, s := range w.Spans {
			if i > 0 && s.Agent == w.Spans[i-1].Agent {
				t.Errorf("%s wrote two spans behind each other", s.Agent)
			}
			text, tokens = text+s.Text, tokens+s.Tokens
		}
		if text != w.Text || tokens != len(w.Tokens) || len(w.Spans) != w.Switches+1 || w.Rollouts != 2*2*tokens {
			t.Errorf("%+v", w)
		}
		mean += w.Worth / 3
	}
	if got := result.Report.Rows[0].Score; math.Abs(got-mean) > 1e-9 {
		t.Errorf("the report says %v, the traces %v", got, mean)
	}
	again := quick(t, "collab-tiny", "eval.problems=3")
	if _, err := train.Run(stopAfter(&again, train.Note, 5), again); !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted: %v", err)
	}
	if _, err := os.Stat(filepath.Join(again.Dir, "report.json")); err == nil {
		t.Fatal("the interrupted run has a report")
	}
	again.Resume, again.Observe = true, nil
	if _, err := train.Run(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"decoding.jsonl", "report.csv"} {
		if !bytes.Equal(runFile(t, o.Dir, name), runFile(t, again.Dir, name)) {
			t.Errorf("%s of the resumed run differs", name)
		}
	}
}

// TestLongVerify: as TestVerify.
func TestLongVerify(t *testing.T) {
	verifiesAgain(t, map[string]verifiable{
		"debate":                 {"debate-sums", nil, 0},
		"tree":                   {"magrpo-tiny-cross", nil, 0},
		"actor-critic":           {"iac-tiny", []string{"group.size=1", "team.turns=2", "group.buffer=3"}, 0},
		"two bases":              {"debate-sums", twoBases, 0},
		"named agents":           {"review-tiny", []string{"group.size=2"}, 0},
		"start of an iteration":  {"madpo-tiny", []string{"preference.candidates=6", "preference.iterations=2", "preference.comparator=checkpoint"}, 3},
		"reward model":           {"marlhf-tiny", []string{"preference.candidates=4", "reward.model.problems=8", "preference.iterations=2"}, 3},
		"agents with names":      {"chain-tiny", []string{"group.size=2"}, 0},
		"opponents":              {"kuhn-selfplay-tiny", []string{"opponents.pool=2", "opponents.every=1", "training.checkpoint=1", "group.size=3", "optimizer.lr=0.01"}, 0},
		"chosen by pass rates":   {"debate-sums", []string{"task.train=20", "task.filter.max_pass_rate=0.7", "task.filter.samples=2"}, 0},
		"a run inside a run":     {"debate-sums", []string{"eval.baselines=[trained-single]", "training.updates=2"}, 0},
		"supervised of the pool": {"maporl-e5-tiny", []string{"experiment.variants={}", "experiment.seeds=[]", "algorithm=sft", "sft.pool=run", "sft.keep=0.1"}, 0},
	})
}

// TestLongStatefulWorld: the episodes of a stateful environment know nothing of each other; what branches is refused at its line.
func TestLongStatefulWorld(t *testing.T) {
	o := inWorld(t, remembering, "task.environment.stateful=true")
	result, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range episodesOf(t, result.Dir) {
		if e.Samples() != 4 || len(e.Failures()) > 0 {
			t.Errorf("%d episodes, failed are %v", e.Samples(), e.Failures())
		}
		for _, n := range e.Nodes {
			if got := n.Outcomes[0][0].All; got != fmt.Sprintf("call %d", n.Turn+1) {
				t.Errorf("after turn %d agents see %q", n.Turn+1, got)
			}
		}
	}
	for _, sets := range [][]string{{"group.rollout=tree"}, {"algorithm=iac", "group.rollout=tree", "group.size=1"}} {
		_, err := language.New().Load(filepath.Join(filepath.Dir(o.Dir), "recipe.yaml"), append(sets, "task.environment.stateful=true"))
		if err == nil || !strings.Contains(err.Error(), "task.environment.stateful is true, and such an environment cannot branch") {
			t.Errorf("%v: %v", sets, err)
		}
	}
}

// TestLongTogetherOwnRuns: agents have what runs have learned, each by its folder, and stay as they are; a run over another base is refused, and so are
// runs of several policies, agents of several vocabularies, and rewards of two texts.
func TestLongTogetherOwnRuns(t *testing.T) {
	one := quick(t, "single-tiny", "training.updates=1", "policies.rank=2", "optimizer.lr=0.1")
	two := quick(t, "magrpo-tiny", "training.updates=1", "policies.rank=2")
	for _, o := range []train.Options{one, two} {
		if _, err := train.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	measured := func(sets ...string) (*train.Result, error) {
		o := quick(t, "collab-tiny", append([]string{"eval.problems=2", "collab.candidates=1"}, sets...)...)
		o.Dir = ""
		return train.Evaluate(context.Background(), o)
	}
	adapter := filepath.Join(one.Dir, "adapters", "policy-turn1")
	before := runFile(t, adapter, "adapter_model.safetensors")
	result, err := measured("collab.adapters=[" + one.Dir + ", '']")
	if err != nil {
		t.Fatal(err)
	}
	byFolder, err := measured("collab.adapters=[" + adapter + ", '']")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := measured("collab.adapters=[]")
	if err != nil {
		t.Fatal(err)
	}
	tokens := func(r *train.Result, system string) float64 {
		row, _ := r.Report.Row(system)
		return row.TokensPerProblem
	}
	if a, b, c := tokens(result, "alone-explains"), tokens(byFolder, "alone-explains"), tokens(bare, "alone-explains"); a != b || a == c {
		t.Errorf("alone: %v tokens with a run, %v with its adapter, %v with neither", a, b, c)
	}
	if a, b := tokens(result, "alone-plain"), tokens(bare, "alone-plain"); a != b {
		t.Errorf("the agent without an adapter: %v and %v tokens", a, b)
	}
	if !bytes.Equal(before, runFile(t, adapter, "adapter_model.safetensors")) {
		t.Error("the adapter has changed")
	}
	for name, c := range map[string]struct{ sets, want string }{
		"vocabularies": {"models=[parley-base, parley-games] collab.adapters=[]", "explains speaks with parley-base and plain with parley-games, which cannot write one text"},
		"base":         {"model=testdata/tiny-base collab.adapters=[" + one.Dir + ",'']", "was trained over parley-base, but explains speaks with "},
		"policies":     {"collab.adapters=[" + two.Dir + ",'']", "has the policies policy-agent1, policy-agent2: name the folder of one"},
		"nothing":      {"collab.adapters=[nowhere,'']", "collab.adapters: explains: "},
	} {
		if _, err := measured(strings.Split(strings.ReplaceAll(c.sets, ", ", ","), " ")...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// TestLongReportOfALargerTeam: a pair's policies are measured in a team of three; the report has turns, transitions that fit them, the paper's
// baseline with twice the tokens, the comparison with each, and every policy without history. A second evaluation of the run finds
// the same numbers.
func TestLongReportOfALargerTeam(t *testing.T) {
	o := quick(t, "debate-sums", "team.turns=3", "policies.first_trained_turn=2", "training.updates=1", "ppo.epochs=1", "ppo.minibatches=1",
		"eval.agents=3", "eval.extract=2", "eval.without_history=true", "eval.baselines=[off-the-shelf-double, single]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report
	for _, system := range []string{runs.OffTheShelf, runs.Trained, runs.OffTheShelfDouble} {
		row, ok := r.Row(system)
		if !ok || len(row.Turns) != 3 || len(row.Transitions) != 2 {
			t.Fatalf("%s: %+v", system, row)
		}
		for i, tr := range row.Transitions {
			before, after := row.Turns[i], row.Turns[i+1]
			for what, d := range map[string]float64{
				"RR + RW": tr.Answers.RR + tr.Answers.RW - before.SingleAnswer, "RR + WR": tr.Answers.RR + tr.Answers.WR - after.SingleAnswer,
				"votes": tr.Votes.Net - (after.Voted - before.Voted),
			} {
				if math.Abs(d) > 1e-9 {
					t.Errorf("%s, turn %d: %s is off by %v", system, i+2, what, d)
				}
			}
			if n := tr.Answers.RR * 48; math.Abs(n-math.Round(n)) > 1e-9 { // 16 problems, three agents
				t.Errorf("%s: share %v is not one of 48 answers", system, tr.Answers.RR)
			}
		}
	}
	if single, _ := r.Row(runs.Single); len(single.Turns) != 1 || len(single.Transitions) != 0 {
		t.Errorf("single: %+v", single)
	}
	if len(r.Comparisons) != 3 || r.Comparisons[0].System != runs.Trained || math.Abs(r.Comparisons[0].Difference-r.Gain) > 1e-9 || r.Comparisons[0].P <= 0 {
		t.Errorf("comparisons %+v", r.Comparisons)
	}
	wantPolicies(t, r.WithoutHistory, runs.OffTheShelf, "policy-turn2", "policy-turn3")

	again, err := train.Evaluate(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: result.Dir, MaxUpdates: -1})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := again.Report.Rows, r.Rows; len(a) != len(b) || a[1].Score != b[1].Score || a[1].CI95 != b[1].CI95 {
		t.Errorf("evaluated again: %+v, first %+v", a, b)
	}
	wantPolicies(t, again.Report.WithoutHistory, runs.OffTheShelf, "policy-turn2", "policy-turn3")
}

// The first pass over what was sampled has a ratio of exactly 1, for the policy and, before its first step, for the base: whatever keeps
// tokens from being drawn, and from an episode that was read back too.
func TestLongFirstRatioIsOne(t *testing.T) {
	padded := modeltest.Padded(t, 500, 490)
	for _, sets := range [][]string{
		{"model=" + padded, "sampling.temperature=3"},
		{"model=" + padded, "sampling.min_tokens=4", "sampling.top_p=0.99", "sampling.temperature=3"},
		{"sampling.min_tokens=6"},
		{"sampling.min_tokens=24", "sampling.top_k=3"},
		{"sampling.min_tokens=24", "sampling.top_p=0.5", "sampling.temperature=0.7"},
	} {
		t.Run(fmt.Sprint(sets), func(t *testing.T) {
			r := shortrun.Load(t, "debate-sums", append(sets, "sampling.max_tokens=24", "reward.penalties.min_tokens=0")...)
			s, err := lineup.Open(t.Context(), r, native.Backend{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.AddPolicies(t.Context()); err != nil {
				t.Fatal(err)
			}
			problems := []task.Problem{{ID: "1", Question: "What is 1 + 1?", Truth: "2"}, {ID: "2", Question: "What is 3 + 4?", Truth: "7"}}
			episodes, err := s.Rollout().Run(t.Context(), "test", 1, problems)
			if err != nil {
				t.Fatal(err)
			}
			firstRatioIsOne(t, s, readBack(t, episodes))
		})
	}
}

// TestLongTrace: as TestTrace.
func TestLongTrace(t *testing.T) {
	tracedRuns(t, map[string]traced{"debate-sums": {}, "magrpo-tiny-cross": {}})
}

// TestLongFeedbackModes: as TestFeedbackModes.
func TestLongFeedbackModes(t *testing.T) {
	feedbackModes(t,
		feedbackMode{"self", "magrpo-tiny", []string{"team.feedback=self"}, 3, "Improve your previous answer"},
		feedbackMode{"binary", "magrpo-tiny", []string{"team.feedback=binary"}, 3, "good enough.\n\nImprove"},
		feedbackMode{"first", "magrpo-tiny", []string{"team.feedback=first"}, 3, "Question: "},
		feedbackMode{"resource_schedule", "magrpo-housebuild-tiny", []string{"team.feedback=resource_schedule"}, 3, "Boxes to build with them: "})
}

// TestLongWarmUp: the diagnosis compares updates of one turn with those behind them.
func TestLongWarmUp(t *testing.T) {
	_, d, _ := diagnosed(t, "magrpo-tiny", "team.turns=2", "team.feedback=self", "team.warm_up=2", "training.updates=4", "group.size=2", "training.problems=26", "sampling.max_tokens=8", "eval.problems=2")
	checked := map[string]bool{}
	for _, r := range d.Checked {
		checked[r.Rule] = true
	}
	if !checked["switch:drop"] || !checked["switch:variance"] {
		t.Errorf("checked %v, want the rules of a switch among them", checked)
	}
}

// TestLongRoleGradientsLeaveNoTrace: as TestRoleGradientsLeaveNoTrace.
func TestLongRoleGradientsLeaveNoTrace(t *testing.T) {
	leavesNoTrace(t, map[string][]string{"debate-sums-shared": {"engine.batch_tokens=64"}})
}

// TestLongRewardIsNotReturn: as TestRewardIsNotReturn.
func TestLongRewardIsNotReturn(t *testing.T) {
	rewardIsNotReturn(t, map[string]returned{
		"magrpo, KL":          {"magrpo-tiny", []string{"group.kl=100"}, 1, true},
		"mappo, KL":           {"debate-sums", []string{"reward.penalties.no_box=false", "reward.penalties.after_box=false", "reward.penalties.repeats=0", "reward.penalties.min_tokens=0", "ppo.kl=10"}, 1, true},
		"madpo, nothing else": {"madpo-tiny", []string{"preference.iterations=2"}, 1, false},
	})
}

// TestLongPassAtOfARun: as TestPassAtOfARun.
func TestLongPassAtOfARun(t *testing.T) { passAtOfARun(t, 10) }

// TestLongBrokenCheckpoint: as TestBrokenCheckpoint.
func TestLongBrokenCheckpoint(t *testing.T) { brokenCheckpoint(t) }

func TestLongHealthyRunHasNoDiagnostics(t *testing.T) {
	result, d, agentTurn := diagnosed(t, "magrpo-tiny")
	if result.Report.Diagnostics == nil || len(result.Report.Diagnostics) > 0 || len(agentTurn) > 0 {
		t.Errorf("diagnostics %v, said %q", result.Report.Diagnostics, agentTurn)
	}
	if len(d.Checked) != 12 || d.JointActions != 64 {
		t.Errorf("%d rules checked over %d joint actions, want 12 over 64", len(d.Checked), d.JointActions)
	}
	if !strings.Contains(result.Text, "nothing fired") {
		t.Errorf("the report does not say that nothing fired: %s", result.Text)
	}
}

// An update that is sampled ahead is the one that the policies before the last step would have had: where steps change nothing, all numbers are
// those of a training that waits, but that they say how old the answers are.
func TestLongAheadOfNothing(t *testing.T) {
	text := func(sets ...string) string {
		o := quick(t, "magrpo-tiny", append(sets, "optimizer.lr=0", "optimizer.decay=none", "training.problems=2", "sampling.max_tokens=16")...)
		if _, err := train.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return string(metricsFile(t, o.Dir))
	}
	waits, ahead := text(), text("training.async=1")
	if n := strings.Count(ahead, `"lag":1,`); n != 3 || strings.ReplaceAll(ahead, `"lag":1,`, "") != waits {
		t.Errorf("%d of 4 updates were sampled ahead:\n%s\n%s", n, ahead, waits)
	}
}

// TestLongPassesAndAblations: a vote over passes and teams with one agent changed are rows of their own, with what they cost; a single pass scores as the
// team alone does, whose random numbers it has.
func TestLongPassesAndAblations(t *testing.T) {
	o := quick(t, "malt-tiny", "training.updates=1", "training.problems=2", "eval.problems=12", "eval.passes=3", "eval.ablations=[untrained, skipped]", "eval.baselines=[]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]runs.Row{}
	for _, row := range result.Report.Rows {
		rows[row.System] = row
	}
	systems := []string{runs.OffTheShelf, runs.Trained, runs.OffTheShelfVote, runs.TrainedVote}
	for _, agent := range []string{"writer", "critic", "editor"} {
		systems = append(systems, "untrained-"+agent, "skipped-"+agent)
	}
	for _, system := range systems {
		if _, there := rows[system]; !there {
			t.Errorf("no row of %s", system)
		}
	}
	if len(rows) != len(systems) {
		t.Errorf("%d rows, want %d", len(rows), len(systems))
	}
	for vote, one := range map[string]string{runs.OffTheShelfVote: runs.OffTheShelf, runs.TrainedVote: runs.Trained} {
		if three, once := rows[vote].TokensPerProblem, rows[one].TokensPerProblem; three < 2*once || three > 4*once {
			t.Errorf("%s has %v tokens a problem, one pass %v", vote, three, once)
		}
	}
	// What a row costs is told by role.
	for system, row := range rows {
		sum := 0.0
		for _, agent := range []string{"writer", "critic", "editor"} {
			spent, told := row.Costs[agent]
			if sum += spent["tokens"]; !told {
				t.Errorf("%s does not say what %s costs", system, agent)
			}
		}
		if math.Abs(sum-row.TokensPerProblem) > 1e-9 {
			t.Errorf("the roles of %s have %v tokens a problem, all together %v", system, sum, row.TokensPerProblem)
		}
	}
	// Whoever says nothing costs nothing, and whoever is untrained costs something.
	for _, agent := range []string{"writer", "critic", "editor"} {
		if skipped, whole := rows["skipped-"+agent].TokensPerProblem, rows["untrained-"+agent].TokensPerProblem; skipped <= 0 || skipped >= whole {
			t.Errorf("%s: skipped %v tokens a problem, untrained %v", agent, skipped, whole)
		}
	}
	var m measure.Measurement
	if err := json.Unmarshal(runFile(t, result.Dir, "evaluation/trained-vote-000001.json"), &m); err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	for i, x := range m.Scores[0] {
		if x != 0 && x != 1 {
			t.Errorf("problem %d: a vote whose first answer wins ties scores %v", i, x)
		}
	}
}

// A template that prints the date prints the recipe's in all of a run: it goes on on another day as on the same one.
func TestLongDateStays(t *testing.T) {
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
	asked, err := chatsession.OpenTeam(context.Background(), train.Options{Language: language.New(), Dir: whole.Dir, Backend: native.Backend{}})
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

// TestLongVerifyFinds: another learning rate in run.json gives other numbers, an update without a checkpoint before it cannot be learned again.
func TestLongVerifyFinds(t *testing.T) {
	o := quick(t, "magrpo-tiny")
	if _, err := train.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, o.Dir, 2); v.OK || !slices.Contains(v.Problems, "update 2 cannot be learned again: there is no checkpoint of update 1 before it: file does not exist") {
		t.Errorf("%q", v.Problems)
	}
	if v := verified(t, o.Dir, 1); !v.OK {
		t.Errorf("the first update: %q", v.Problems)
	}
	path := filepath.Join(o.Dir, "run.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), `lr: 0.001\n`, `lr: 0.002\n`, 1)
	if changed == string(data) {
		t.Fatalf("no learning rate in %s", data)
	}
	changed, _, _ = strings.Cut(changed, ",\n  \"checksum\"") // as if an earlier release had written it
	if err := os.WriteFile(path, []byte(changed+"\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v := verified(t, o.Dir, 0); v.OK || !strings.Contains(strings.Join(v.Problems, "\n"), "lr is ") {
		t.Errorf("%q", v.Problems)
	}
}

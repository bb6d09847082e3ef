package estimate

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
)

func estimateOf(t *testing.T, name string, sets ...string) *Estimate {
	t.Helper()
	r, err := language.New().Load(name, sets)
	if err != nil {
		t.Fatal(err)
	}
	return estimated(t, r)
}

func estimated(t *testing.T, r *recipe.Recipe) *Estimate {
	t.Helper()
	e, err := DryRun(r, native.Backend{})
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return e
}

// TestPanelCosts: what is measured in training is counted among what is measured, of no more problems than there are.
func TestPanelCosts(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	small := []string{"training.updates=10", "eval.problems=20", "eval.baselines=[]"}
	without := estimateOf(t, "debate-sums", small...)
	perProblem := without.EvaluationTokens / 40
	for sets, problems := range map[string]int{"eval.every=4 eval.panel=5": 3 * 5, "eval.every=5 eval.panel=5": 2 * 5, "eval.every=100": 20, "eval.every=1 eval.panel=1000": 10 * 20} {
		with := estimateOf(t, "debate-sums", append(strings.Fields(sets), small...)...)
		if got := with.EvaluationTokens - without.EvaluationTokens; got != problems*perProblem || with.GeneratedTokens != without.GeneratedTokens || with.Work.Evaluation <= without.Work.Evaluation {
			t.Errorf("%s: %d tokens more, want %d", sets, got, problems*perProblem)
		}
	}
}

// TestDryRun: the sizes that MAPoRL §5 and §7 derive, with nothing on the machine.
func TestDryRun(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	e := estimateOf(t, "maporl-paper")
	if e.GeneratedTokens != 50*460800 || e.VerifierCalls != 50*1536 || e.Runs != 1 || e.Updates != 50 || e.Steps != 50*4*8*4 {
		t.Errorf("%+v", e)
	}
	if b := e.Bases[0]; b.Parameters != 3821079552 || b.Adapter != 4456448 {
		t.Errorf("base %+v", b)
	}
	if gib := e.MemoryBytes.Total / (1 << 30); gib < 2.5 || gib > 16 || e.MemoryBytes.Base < 3.8e9/2 {
		t.Errorf("memory %+v", e.MemoryBytes)
	}
	if got := e.Work.Rollout + e.Work.Verifier + e.Work.Reference + e.Work.Training + e.Work.Evaluation; got != e.Work.Total() || math.Abs(e.Hours*3600e12-got) > 1e-6*got {
		t.Errorf("work %+v, %v hours", e.Work, e.Hours)
	}
	if len(e.Missing) != 4 || e.Missing[0].Name != "microsoft/Phi-3-mini-128k-instruct" {
		t.Errorf("missing %v", e.Missing)
	}
	if m := e.MemoryBytes; math.Abs(m.Base+m.Policies+m.Activations+m.Cache+m.Rest-m.Total) > 1 {
		t.Errorf("the parts of %+v are not its total", m)
	}
	group := estimateOf(t, "magrpo-tiny").MemoryBytes
	judged := estimateOf(t, "magrpo-tiny", "reward.source=preferences").MemoryBytes
	if judged.Activations < group.Activations {
		t.Errorf("a reward model takes what sampling keeps: %+v, %+v without", judged, group)
	}
	if m := group; math.Abs(m.Base+m.Policies+m.Activations+m.Cache+m.Rest-m.Total) > 1 {
		t.Errorf("the parts of %+v are not its total", m)
	}
	allowed := group.Total - group.Activations/2
	if within := estimateOf(t, "magrpo-tiny", fmt.Sprintf("memory=%.0fMiB", allowed/(1<<20))).MemoryBytes; within.Total >= group.Total || within.Total > allowed*1.01 {
		t.Errorf("%+v within %.0f bytes, %+v without a bound", within, allowed, group)
	}
	// A debate of two agents over three turns of 300 tokens was measured to hold 110 kB.
	large := estimateOf(t, "maporl-paper", "training.problems=12800", "training.updates=1", "eval.problems=1")
	if per := (large.MemoryBytes.Rest - estimateOf(t, "maporl-paper", "training.problems=256", "eval.problems=1").MemoryBytes.Rest) / (12800 - 256); per < 90e3 || per > 190e3 {
		t.Errorf("%.0f bytes a debate", per)
	}
	if less := estimateOf(t, "maporl-paper", "ppo.epochs=1"); less.Work.Training*4 != e.Work.Training || less.GeneratedTokens != e.GeneratedTokens {
		t.Errorf("one epoch of four: %+v", less.Work)
	}
	if more := estimateOf(t, "maporl-paper", "ppo.kl_form=ref_policy_exact"); more.Work.Reference <= e.Work.Reference {
		t.Errorf("an exact divergence costs nothing: %+v", more.Work)
	}
}

// TestDryRunOfSupervision: supervised learning trains on what it keeps, as often as it passes over it.
func TestDryRunOfSupervision(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	supervised := func(settings string) *Estimate {
		r, err := language.New().Parse("f", []byte("name: x\npreset: maporl-paper\nalgorithm: sft\nsft: "+settings), nil)
		if err != nil {
			t.Fatal(err)
		}
		return estimated(t, r)
	}
	tenth, all := supervised("{pool: run, keep: 0.1, epochs: 4, minibatches: 40}"), supervised("{keep: 1, minibatches: 40}")
	if tenth.Steps != 2*4*40 || all.Steps != 50*2*40 || tenth.GeneratedTokens != all.GeneratedTokens {
		t.Errorf("a tenth, four times: %+v; all, once: %+v", tenth, all)
	}
	if got, want := tenth.Work.Training, 0.4*all.Work.Training; math.Abs(got-want) > 1e-6*want {
		t.Errorf("a tenth, four times: %v operations, want %v", got, want)
	}
}

// TestExperimentsAreEstimated: every experiment of the paper has an estimate without models or data, and one that is not known names
// the model.
func TestExperimentsAreEstimated(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	for name, want := range map[string]struct{ runs, bases int }{
		"maporl-e1": {6, 1}, "maporl-e2": {5, 1}, "maporl-e3": {2, 1}, "maporl-e4": {2, 3}, "maporl-e5": {2, 1}, "maporl-g7": {2, 1}, "maporl-g8": {1, 1}, "debate-sums": {1, 1},
	} {
		e := estimateOf(t, name)
		if e.Runs != want.runs || len(e.Bases) != want.bases || e.GeneratedTokens <= 0 || e.Work.Total() <= 0 || e.MemoryBytes.Total <= 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for _, base := range []string{"Qwen/Qwen2.5-3B-Instruct", "meta-llama/Meta-Llama-3-8B-Instruct"} {
		if e := estimateOf(t, "maporl-e1", "model="+base); e.Bases[0].Parameters < 3e9 || e.Bases[0].Parameters > 8.1e9 {
			t.Errorf("%s: %+v", base, e.Bases)
		}
	}
	r, err := language.New().Load("debate-sums", []string{"model=org/unknown"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DryRun(r, native.Backend{}); err == nil || !strings.Contains(err.Error(), "org/unknown") {
		t.Errorf("an unknown model: %v", err)
	}
}

// TestMAGRPOIsEstimated: recipes over the bases of MAGRPO's papers are estimated without them. The numbers of parameters are those of
// the published checkpoints.
func TestMAGRPOIsEstimated(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	for _, c := range []struct {
		recipe, model string
		parameters    int
		steps         int // environment steps: scored joint actions
	}{
		{"magrpo-paper", "", 1720574976, 1000 * 4},
		{"magrpo-humaneval", "", 3085938688, 1000 * 4},
		{"magrpo-humaneval-2turn", "", 3085938688, 700 * 2 * 4},
		{"magrpo-classeval", "", 4022468096, 689 * (2 + 2*2)},
		{"magrpo-strbuild", "", 4022468096, 160 * 30},
		{"magrpo-paper", "Qwen/Qwen3-4B", 4022468096, 1000 * 4},
		{"magrpo-humaneval", "Qwen/Qwen2.5-Coder-3B-Instruct", 3085938688, 1000 * 4},
		{"magrpo-humaneval", "Qwen/Qwen2.5-Coder-7B", 7615616512, 1000 * 4},
		{"magrpo-smollm-tldr", "", 134515008, 30 * 4 * 4},
		{"magrpo-smollm-tldr", "HuggingFaceTB/SmolLM2-360M-Instruct", 361821120, 30 * 4 * 4},
		{"magrpo-smollm-tldr", "HuggingFaceTB/SmolLM2-1.7B-Instruct", 1711376384, 30 * 4 * 4},
	} {
		var sets []string
		if c.model != "" {
			sets = []string{"model=" + c.model}
		}
		e := estimateOf(t, c.recipe, sets...)
		// Biases of attention are left out of the count of parameters.
		if b := e.Bases[0]; math.Abs(float64(b.Parameters-c.parameters)) > 1e-4*float64(c.parameters) || e.EnvironmentSteps != c.steps || e.MemoryBytes.Total < float64(c.parameters)/2 || e.Work.Total() <= 0 {
			t.Errorf("%s %s: %+v", c.recipe, c.model, e)
		}
	}
}

// TestWorkOfTrees: in a tree every turn has as many times the samples of the one before as a node has children; critics read what they
// judge, a central one as much of all agents.
func TestWorkOfTrees(t *testing.T) {
	one, two := estimateOf(t, "magrpo-tiny"), estimateOf(t, "magrpo-tiny", "team.turns=2")
	// Rollouts of turn 2 are those of turn 1, four times.
	if got, want := two.Work.Rollout, 5*one.Work.Rollout; math.Abs(got-want) > 1e-9*want || two.EnvironmentSteps != 5*one.EnvironmentSteps {
		t.Errorf("%v operations in two turns and %d steps, want %v", got, two.EnvironmentSteps, want)
	}
	own, central := estimateOf(t, "iac-tiny"), estimateOf(t, "maac-tiny")
	if own.Work.Reference <= 0 || central.Work.Reference != 2*own.Work.Reference || own.Work.Training <= estimateOf(t, "magrpo-tiny", "group.size=4").Work.Training {
		t.Errorf("critics: own %+v, central %+v", own.Work, central.Work)
	}
	if q := estimateOf(t, "iac-tiny", "critic.input=q"); q.Work.Reference <= own.Work.Reference {
		t.Errorf("a critic that reads answers too costs %v, one that does not %v", q.Work.Reference, own.Work.Reference)
	}
	if kl := estimateOf(t, "magrpo-tiny", "group.kl=0.1"); one.Work.Reference != 0 || kl.Work.Reference <= 0 {
		t.Errorf("the divergence from the base costs %v", kl.Work.Reference)
	}
}

// TestAnswersFitTheContext: no answer is expected to be longer than parley-base's context of 512.
func TestAnswersFitTheContext(t *testing.T) {
	want := estimateOf(t, "debate-sums", "sampling.max_tokens=512").MemoryBytes
	for _, tokens := range []string{"100000", "1000000000"} {
		if got := estimateOf(t, "debate-sums", "sampling.max_tokens="+tokens).MemoryBytes; got != want {
			t.Errorf("%s tokens: %+v, want %+v", tokens, got, want)
		}
	}
}

// TestAgentsWithoutABaseCostNone: a script in the place of a model brings no base along, not even where its place would be the recipe's own, and
// takes work and memory away.
func TestAgentsWithoutABaseCostNone(t *testing.T) {
	team := func(critic string) *Estimate {
		return estimateOf(t, "chain-tiny", "model=nowhere", "team.agents={critic: "+critic+", writer: {model: parley-base}, editor: {model: parley-base}}")
	}
	with, without := team("{model: parley-base}"), team("{script: critic.star}")
	if len(without.Bases) != 1 || without.Bases[0].Name != "parley-base" || len(without.Missing) > 0 {
		t.Errorf("bases %+v, missing %v", without.Bases, without.Missing)
	}
	if with.MemoryBytes.Policies*2/3 < without.MemoryBytes.Policies*0.999 || without.MemoryBytes.Cache >= with.MemoryBytes.Cache {
		t.Errorf("memory %+v, with a model %+v", without.MemoryBytes, with.MemoryBytes)
	}
	if without.Work.Training >= with.Work.Training || without.Work.Rollout >= with.Work.Rollout {
		t.Errorf("work %+v, with a model %+v", without.Work, with.Work)
	}
}

// TestWholeNumbers: every whole number of the language has a bound, seeds and budgets of tokens aside, and what is within it can be counted without
// holding what is counted.
func TestWholeNumbers(t *testing.T) {
	boundless := map[string]bool{"seed": true, "training.tokens": true, "servers.tokens": true}
	done := map[string]bool{}
	l := language.New()
	var before, after runtime.MemStats
	for _, name := range []string{"debate-sums", "magrpo-tiny", "iac-tiny", "marlhf-tiny", "magrpo-classeval-tiny"} {
		r, err := l.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := yaml.Unmarshal(r.YAML(), &tree); err != nil {
			t.Fatal(err)
		}
		for _, key := range wholeNumbers("", tree) {
			if done[key] && !strings.HasSuffix(key, "problems") && !strings.HasSuffix(key, "updates") { // they are counted otherwise by every algorithm
				continue
			}
			if _, err := l.Load(name, []string{key + "=0.5"}); err == nil || !strings.Contains(err.Error(), key+` is "0.5", expected a whole number`) {
				continue
			}
			done[key] = true
			for _, value := range []string{"4611686018427387904", "-4611686018427387904", "-1", "1000000", "1000000000"} {
				r, err := l.Load(name, []string{key + "=" + value})
				if err != nil {
					continue
				}
				if len(value) > 18 && !boundless[key] {
					t.Errorf("%s is %s in %s", key, value, name)
				}
				runtime.ReadMemStats(&before)
				if _, err := DryRun(r, native.Backend{}); err != nil && strings.Contains(err.Error(), "internal error") {
					t.Errorf("%s is %s: %v", key, value, err)
				}
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > 512<<20 {
					t.Errorf("%s is %s in %s: counting takes %d MiB", key, value, name, n>>20)
				}
			}
		}
	}
	if len(done) < 90 {
		t.Errorf("only %d keys", len(done))
	}
}

// wholeNumbers lists the keys of a recipe that hold one.
func wholeNumbers(path string, tree map[string]any) (keys []string) {
	for name, value := range tree {
		switch v := value.(type) {
		case map[string]any:
			keys = append(keys, wholeNumbers(path+name+".", v)...)
		case uint64, int64, int:
			keys = append(keys, path+name)
		}
	}
	return keys
}

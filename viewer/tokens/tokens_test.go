package tokens_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train"
	"parley/train/passrate"
	"parley/viewer/episodes"
	"parley/viewer/tokens"
)

// trained is a short run, all of whose checkpoints are kept.
func trained(t *testing.T, recipe string, sets ...string) tokens.Options {
	t.Helper()
	l := language.New()
	r, err := l.Load(recipe, append([]string{"training.updates=2", "training.checkpoint=1", "training.keep=9", "training.problems=2", "eval.problems=1", "eval.baselines=[]"}, sets...))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := train.Run(t.Context(), train.Options{Recipe: r, Language: l, Backend: native.Backend{}, Dir: dir, MaxUpdates: -1, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return tokens.Options{Dir: dir, Language: l, Backend: native.Backend{}, Now: time.Now, Keep: passrate.KeepKnown}
}

func compute(t *testing.T, o tokens.Options, update int, indexes ...int) []tokens.Result {
	t.Helper()
	out, err := tokens.Compute(t.Context(), o, update, indexes...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// recorded reads an episode of a run.
func recorded(t *testing.T, dir string, update, index int) *rollout.Episode {
	t.Helper()
	e, _, _, err := episodes.Open(dir).Read(update, index)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// alone is an engine of its own over the base of a run, with the policy of a checkpoint.
func alone(t *testing.T, dir string, policy engine.Policy, update int) engine.Engine {
	t.Helper()
	meta, err := runs.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(meta.Bases[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	e, err := native.Open(m.Source, engine.Options{ScoreAsSampled: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if err := e.Load(t.Context(), policy, filepath.Join(runs.CheckpointDir(dir, update), string(policy))); err != nil {
		t.Fatal(err)
	}
	return e
}

// logprobs scores what was said, put together by hand.
func logprobs(t *testing.T, e engine.Engine, policy engine.Policy, asked *rollout.AgentTurn, said []int) []float32 {
	t.Helper()
	all := append(append([]int{}, asked.Prompt...), said...)
	out, err := e.Forward(t.Context(), []engine.Datum{{Policy: policy, Tokens: all, ScoreFrom: len(asked.Prompt), Sampling: asked.Sampling, Mask: asked.Mask}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Logprobs
}

// surprise is the entropy at a place of an answer, of the log-probabilities of every token of the vocabulary, each asked for by itself.
func surprise(t *testing.T, e engine.Engine, policy engine.Policy, asked *rollout.AgentTurn, said []int, vocabulary int) float64 {
	t.Helper()
	var data []engine.Datum
	for v := range vocabulary {
		masked := false
		for _, r := range asked.Mask.Never {
			masked = masked || v >= r[0] && v < r[1]
		}
		if masked {
			continue
		}
		all := append(append(append([]int{}, asked.Prompt...), said...), v)
		data = append(data, engine.Datum{Policy: policy, Tokens: all, ScoreFrom: len(all) - 1, Sampling: asked.Sampling, Mask: engine.Mask{Never: asked.Mask.Never}})
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	h, mass := 0.0, 0.0
	for _, x := range out {
		p := math.Exp(float64(x.Logprobs[0]))
		h, mass = h-p*float64(x.Logprobs[0]), mass+p
	}
	if math.Abs(mass-1) > 1e-4 {
		t.Fatalf("all tokens together have probability %g", mass)
	}
	return h
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }

// TestGroups: what is computed of the tokens of MAGRPO is what engines of their own say, one for the policy before the update and one for that
// after it; and where the checkpoint after it is gone, the update is learned again to the same numbers.
func TestGroups(t *testing.T) {
	o := trained(t, "magrpo-tiny", "optimizer.lr=0.05", "group.ratio_cap=1.1", "group.kl=0.01")
	r := compute(t, o, 2, 0)[0]
	e := recorded(t, o.Dir, 2, 0)
	if len(r.Answers) != 8 || r.After != "the checkpoint of update 2" {
		t.Fatalf("%d answers, after %q", len(r.Answers), r.After)
	}
	meta, err := runs.Read(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(meta.Bases[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	capped, free := 0, 0
	for _, a := range r.Answers {
		asked, said, err := episodes.Find(e, false, a.Node, a.Agent, a.Completion)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Derived.Policy, said.Logprobs) {
			t.Errorf("the policy before the update did not draw the answer of agent %d:\n%v, drawn with\n%v", a.Agent, a.Derived.Policy, said.Logprobs)
		}
		was, is := alone(t, o.Dir, asked.Policy, 1), alone(t, o.Dir, asked.Policy, 2)
		base, after := logprobs(t, was, engine.Base, asked, said.Tokens), logprobs(t, is, asked.Policy, asked, said.Tokens)
		for i := range said.Tokens {
			d := float64(base[i]) - float64(said.Logprobs[i])
			if want := math.Exp(d) - d - 1; !near(a.KL[i], want) {
				t.Errorf("KL term %g, want %g", a.KL[i], want)
			}
			ratio := math.Exp(float64(after[i]) - float64(said.Logprobs[i]))
			if !near(a.Ratio[i], ratio) || a.Clipped[i] != (a.Ratio[i] > 1.1) || a.Advantage[i] != said.Advantage {
				t.Errorf("ratio %g, clipped %v, advantage %g; want ratio %g, advantage %g", a.Ratio[i], a.Clipped[i], a.Advantage[i], ratio, said.Advantage)
			}
			if a.Clipped[i] {
				capped++
			} else {
				free++
			}
		}
		if a.Completion == 0 {
			last := len(said.Tokens) - 1
			if want := surprise(t, was, asked.Policy, asked, said.Tokens[:last], m.Tokenizer.Size()); !near(a.Entropy[last], want) {
				t.Errorf("entropy %g, want %g", a.Entropy[last], want)
			}
		}
		if want := (tokens.Penalty{Estimator: "exp(d) − d − 1, d = log π_ref − log π", Coefficient: 0.01}); a.Penalty != want {
			t.Errorf("penalty %+v", a.Penalty)
		}
	}
	if capped == 0 || free == 0 {
		t.Errorf("%d ratios are capped and %d are not: the test sees nothing", capped, free)
	}
	if err := errors.Join(os.RemoveAll(runs.CheckpointDir(o.Dir, 2)), os.RemoveAll(filepath.Join(o.Dir, "adapters"))); err != nil {
		t.Fatal(err)
	}
	again := compute(t, o, 2, 0)[0]
	if !strings.Contains(again.After, "learned again") || !reflect.DeepEqual(again.Answers, r.Answers) {
		t.Errorf("learned again, %q: other numbers", again.After)
	}
	kept, err := tokens.Read(o.Dir, 2, 0)
	if err != nil || kept.Result == nil || !reflect.DeepEqual(*kept.Result, again) {
		t.Errorf("kept is another result: %v", err)
	}
	asked, said, _ := episodes.Find(e, false, 0, 1, 0)
	strip := kept.Strip(nil, said, tokens.Place{Agent: asked.Agent})
	if strip.Computed == nil || len(strip.Missing) != 1 || strip.Tokens.Tokens[0].Ratio == nil {
		t.Errorf("the strip has not what was computed: %+v", strip.Missing)
	}
	said.Tokens[0]++
	if kept.Strip(nil, said, tokens.Place{Agent: asked.Agent}).Computed != nil {
		t.Error("what was computed of another answer is shown")
	}
	if err := os.RemoveAll(runs.CheckpointDir(o.Dir, 1)); err != nil {
		t.Fatal(err)
	}
	var gone *tokens.GoneError
	if _, err := tokens.Compute(t.Context(), o, 2); !errors.As(err, &gone) || !strings.Contains(err.Error(), "checkpoint of update 1") {
		t.Errorf("the checkpoint before is gone: %v", err)
	}
	if first := compute(t, o, 1); len(first) != 2 || first[0].Answers[0].Ratio == nil {
		t.Errorf("before the first update nothing was learned: %+v", first)
	}
}

// TestClip: with a critic tokens have advantages of their own, which PPO's clip depends on. Over the answers of a turn and agent they have mean 0
// and variance 1; their mean is the answer's, and the KL terms add up to what the run recorded.
func TestClip(t *testing.T) {
	o := trained(t, "debate-sums", "optimizer.lr=0.02", "ppo.epochs=2", "ppo.minibatches=1", "ppo.clip=0.1")
	all := compute(t, o, 2)
	type batch struct{ turn, agent int }
	sums, squares, counts := map[batch]float64{}, map[batch]float64{}, map[batch]float64{}
	kl, answers, clipped, free := 0.0, 0.0, 0, 0
	for _, r := range all {
		e := recorded(t, o.Dir, 2, r.Index)
		for _, a := range r.Answers {
			_, said, err := episodes.Find(e, false, a.Node, a.Agent, a.Completion)
			if err != nil {
				t.Fatal(err)
			}
			b := batch{e.Nodes[a.Node].Turn, a.Agent}
			answers++
			whole := 0.0
			for _, x := range a.Advantage {
				whole += x / float64(len(a.Advantage))
			}
			if !near(whole, said.Advantage) || said.Advantage == 0 {
				t.Errorf("the advantages of tokens are %g on average, recorded of the answer is %g", whole, said.Advantage)
			}
			for i, x := range a.Advantage {
				sums[b], squares[b], counts[b] = sums[b]+x, squares[b]+x*x, counts[b]+1
				kl += float64(said.Logprobs[i]) - float64(a.Reference[i])
				ratio := math.Exp(float64(a.After[i]) - float64(said.Logprobs[i]))
				if want := x > 0 && ratio > 1.1 || x < 0 && ratio < 0.9; a.Clipped[i] != want || !near(a.Ratio[i], ratio) {
					t.Errorf("ratio %g, advantage %g: clipped %v", ratio, x, a.Clipped[i])
				}
				if a.Clipped[i] {
					clipped++
				} else {
					free++
				}
			}
			if a.Penalty.Estimator != "log π − log π_ref" {
				t.Errorf("penalty %+v", a.Penalty)
			}
		}
	}
	for b, n := range counts {
		if mean, variance := sums[b]/n, (squares[b]-sums[b]*sums[b]/n)/(n-1); math.Abs(mean) > 1e-6 || math.Abs(variance-1) > 1e-3 {
			t.Errorf("advantages of %+v have mean %g and variance %g", b, mean, variance)
		}
	}
	if clipped == 0 || free == 0 {
		t.Errorf("%d tokens are clipped and %d are not: the test sees nothing", clipped, free)
	}
	err := runs.ReadLines(o.Dir, "metrics.jsonl", func(line []byte) error {
		var m struct {
			Update int
			KL     float64
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Update != 2 {
			return err
		}
		if !near(kl/answers, m.KL) {
			t.Errorf("KL of an answer is %g, recorded is %g", kl/answers, m.KL)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRefusals: what nothing can be computed of says so, and what can be done.
func TestRefusals(t *testing.T) {
	o := trained(t, "magrpo-tiny", "training.updates=1")
	var none *episodes.NoneError
	if _, err := tokens.Compute(t.Context(), o, 1, 9); !errors.As(err, &none) {
		t.Errorf("an episode that is not there: %v", err)
	}
	file := filepath.Join(o.Dir, runs.MetaFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var meta map[string]any
	if err := json.Unmarshal(data, &meta); err != nil {
		t.Fatal(err)
	}
	before, behind, found := strings.Cut(meta["recipe"].(string), "  tinker:\n")
	if !found {
		t.Fatal("the recipe has no engine.tinker")
	}
	meta["recipe"] = before + "  tinker:\n" + strings.Replace(behind, `url: ""`, "url: http://127.0.0.1:1", 1)
	delete(meta, "checksum")
	if data, err = json.Marshal(meta); err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Compute(t.Context(), o, 1, 0); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1") || !strings.Contains(err.Error(), "parley run export") {
		t.Errorf("a server: %v", err)
	}
}

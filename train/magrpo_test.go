package train_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"parley/internal/turn"
	"parley/train"
	"parley/train/shortrun"
)

// Sections are those of magrpo.md, "correct by design". 4.7 is TestNotFinite, 4.8's resumption TestResumeEqualsUnbroken and
// TestKillAndResume, 4.10 lies in package sandbox, 4.11 in package eval, 4.12 is rollout's TestOneBatchPerTurnAndEngine.

// shortRun trains magrpo-tiny on a few problems.
func shortRun(t *testing.T, sets ...string) (*train.Result, []train.Metrics) {
	t.Helper()
	return shortrun.Run(t, quick(t, "magrpo-tiny", append([]string{"training.updates=2", "training.problems=2"}, sets...)...).Recipe)
}

// 4.3: log-probabilities are those of the distribution that was sampled from, cuts included, to the last bit.
func TestMAGRPOSection43SamplerAndTrainerAgree(t *testing.T) {
	_, metrics := shortRun(t, "sampling.temperature=0.6", "sampling.top_k=7", "sampling.top_p=0.8")
	for _, m := range metrics {
		if m.RatioMean != 1 || m.RatioMax != 1 {
			t.Errorf("update %d: mean ratio %v, greatest %v, want exactly 1", m.Update, m.RatioMean, m.RatioMax)
		}
	}
}

// 4.4: where a buffer leads to several steps, tokens are older than the policy: the ratios are logged, and their weights capped.
func TestMAGRPOSection44Staleness(t *testing.T) {
	stale := []string{"group.buffer=2", "group.train_batch=1", "optimizer.lr=0.01", "optimizer.warmup=0"}
	_, weighted := shortRun(t, append(stale, "group.ratio_cap=1")...)
	_, plain := shortRun(t, append(stale, "group.ratio_cap=0")...)
	if weighted[0].RatioMax <= 1 || weighted[0].RatioMean == 1 {
		t.Errorf("mean ratio %v, greatest %v: nothing is stale", weighted[0].RatioMean, weighted[0].RatioMax)
	}
	if weighted[0].PolicyLoss == plain[0].PolicyLoss {
		t.Error("the weights of stale tokens change nothing")
	}
}

// 4.6: over a base in 16 bits, steps of 5e-6 are not lost.
func TestMAGRPOSection46SmallSteps(t *testing.T) {
	adapter := func(updates string) []byte {
		result, _ := shortRun(t, "engine.dtype=bf16", "optimizer.lr=0.000005", "optimizer.warmup=0", "training.updates="+updates)
		data, err := os.ReadFile(filepath.Join(result.Dir, "adapters", "policy-agent1", "adapter_model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	one, two := adapter("1"), adapter("2")
	changed := 0
	for i := range one {
		if one[i] != two[i] {
			changed++
		}
	}
	if changed < len(one)/20 {
		t.Errorf("%d of %d bytes changed in a step of 5e-6", changed, len(one))
	}
}

// 4.8: one seed, one run; another seed, another run.
func TestMAGRPOSection48Seeds(t *testing.T) {
	a, _ := shortRun(t, "seed=5")
	b, _ := shortRun(t, "seed=5")
	c, _ := shortRun(t, "seed=6")
	if !bytes.Equal(metricsFile(t, a.Dir), metricsFile(t, b.Dir)) {
		t.Error("two runs with one seed differ")
	}
	if bytes.Equal(metricsFile(t, a.Dir), metricsFile(t, c.Dir)) {
		t.Error("two seeds give one run")
	}
}

// 4.13: metrics are local JSON lines, and checkpoints are made on the way.
func TestMAGRPOSection413LocalFiles(t *testing.T) {
	result, metrics := shortRun(t)
	if len(metrics) != 2 {
		t.Errorf("%d lines of metrics for 2 updates", len(metrics))
	}
	for _, name := range []string{"checkpoints/000001", "checkpoints/000002", "episodes/000001.jsonl.zst"} {
		if _, err := os.Stat(filepath.Join(result.Dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// One agent is plain GRPO: joint modes do not matter, nor does whether it is called a team.
func TestMAGRPOOfOneAgentIsGRPO(t *testing.T) {
	small := []string{"training.updates=2", "group.size=3"}
	losses := map[float64]bool{}
	for _, sets := range [][]string{nil, {"group.joint=cross"}, {"team.protocol=parallel"}} {
		_, metrics := shortrun.Run(t, quick(t, "single-tiny", append(small, sets...)...).Recipe)
		losses[metrics[1].PolicyLoss] = true
	}
	if len(losses) != 1 {
		t.Errorf("losses %v, want one", losses)
	}
}

// 2.4: a buffer that spans updates makes its steps when it is full, and what is left is drained at the end.
func TestMAGRPOSection24BufferSpansUpdates(t *testing.T) {
	_, metrics := shortRun(t, "training.updates=5", "training.problems=2", "group.buffer=3", "group.buffer_across_updates=true")
	var steps []int
	for _, m := range metrics {
		steps = append(steps, m.OptimizerSteps)
	}
	if want := []int{0, 2, 2, 0, 4}; !reflect.DeepEqual(steps, want) { // of two agents with two samples an update
		t.Errorf("optimizer steps %v, want %v", steps, want)
	}
}

// TestTreesAndChains: groups over several turns train as trees (with early termination) and as best-of-group chains, and
// their costs are counted as they are.
func TestTreesAndChains(t *testing.T) {
	for i, c := range []struct {
		name        string
		sets        []string
		generations int // of 2 problems
	}{
		{"tree", []string{"group.size=2"}, 2 * 2 * 2 * (1 + 2)},
		{"cross tree", []string{"group.size=2", "group.joint=cross", "group.kl=0.01"}, 2 * 2 * 2 * (1 + 4)},
		{"chain", []string{"group.rollout=chain", "group.turn_weights=[1.2, 0.8]"}, 2 * 2 * 4 * 2},
		{"tree that ends at once", []string{"group.terminate=-1"}, 2 * 2 * 4},
		{"buffers", []string{"group.buffer=3", "group.train_batch=2"}, 2 * 2 * 4 * (1 + 4)},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			sets := append([]string{"team.turns=2", "training.updates=1", "training.problems=2", "task.train=20", "eval.problems=2", "policies.sharing=per-agent"}, c.sets...)
			result, metrics := shortrun.Run(t, shortrun.Load(t, "magrpo-tiny", sets...))
			m := metrics[0]
			if m.Generations != c.generations {
				t.Errorf("%d generations, want %d", m.Generations, c.generations)
			}
			if m.OptimizerSteps == 0 || len(m.GradNorm) != 2 {
				t.Errorf("%d optimizer steps of %d policies", m.OptimizerSteps, len(m.GradNorm))
			}
			if len(result.Report.Rows[0].PerTurn) != 2 {
				t.Errorf("the report has turns %v", result.Report.Rows[0].PerTurn)
			}
		})
	}
}

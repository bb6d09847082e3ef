package vectortest

import (
	"math"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/rl/loss"
)

// paddedRow is one sequence of a loss case; mask 0 marks padding.
type paddedRow struct {
	Logps          []float64
	BehaviourLogps []float64 `json:"behaviour_logps"`
	Mask           []int
}

// unpadded returns the values at tokens.
func (r paddedRow) unpadded(x []float64) []float64 {
	var kept []float64
	for i, m := range r.Mask {
		if m == 1 {
			kept = append(kept, x[i])
		}
	}
	return kept
}

func lossCase(t *testing.T, c Case) {
	v := decode[struct {
		Sequences  []paddedRow
		Advantages []float64
		Cap        float64
		Weights    [][]float64
		Losses     map[string]float64
	}](t, c)
	var rows, logps, weights [][]float64
	for j, s := range v.Sequences {
		rows = append(rows, s.Logps)
		logps = append(logps, s.unpadded(s.Logps))
		if s.BehaviourLogps == nil {
			continue
		}
		w := enginetest.BehaviourWeights(logps[j], s.unpadded(s.BehaviourLogps), v.Cap)
		weights = append(weights, w)
		nearSlice(t, c, "weights", w, s.unpadded(v.Weights[j]))
	}
	if len(v.Losses) == 0 {
		t.Fatal("no losses")
	}
	for name, want := range v.Losses {
		if name == "compat" {
			got, _ := enginetest.CompatGroupLoss(rows, v.Advantages)
			near(t, c, name, got, want)
			continue
		}
		reduction, weighted := strings.CutSuffix(name, "_is")
		r, used, limit := loss.Reduction(reduction), weights, v.Cap
		if !weighted {
			used, limit = nil, 0
		}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		got, _ := enginetest.GroupLoss(logps, used, v.Advantages, reduction)
		near(t, c, name, got, want)
		near(t, c, name+" as engine loss", engineLoss(t, v.Sequences, v.Advantages, r, limit), want)
	}
}

// engineLoss computes the loss the way training does.
func engineLoss(t *testing.T, rows []paddedRow, advantages []float64, r loss.Reduction, limit float64) float64 {
	t.Helper()
	sample := loss.NodeSample{Weight: 1}
	var outputs []engine.Output
	for j, row := range rows {
		lp := row.unpadded(row.Logps)
		completion := loss.Completion{Tokens: len(lp), Advantage: advantages[j]}
		if row.BehaviourLogps != nil {
			completion.Behaviour = float32s(row.unpadded(row.BehaviourLogps))
		}
		sample.Completions = append(sample.Completions, completion)
		outputs = append(outputs, engine.Output{Logprobs: float32s(lp)})
	}
	batch, err := loss.NewGroupBatch([]loss.NodeSample{sample}, loss.GroupObjective{Reduction: r, Cap: limit})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := batch.Gradient(0, outputs); err != nil {
		t.Fatal(err)
	}
	return batch.Stats().Loss
}

func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func samplingLogpCase(t *testing.T, c Case) {
	v := decode[struct {
		Logits      []float64
		Temperature float64
		TopK        *int       `json:"top_k"`
		TopP        *float64   `json:"top_p"`
		Logp        []*float64 // null: cannot be sampled
	}](t, c)
	s := engine.Sampling{Temperature: v.Temperature}
	if v.TopK != nil {
		s.TopK = *v.TopK
	}
	if v.TopP != nil {
		s.TopP = *v.TopP
	}
	want := make([]float64, len(v.Logp))
	for i, lp := range v.Logp {
		want[i] = math.Inf(-1)
		if lp != nil {
			want[i] = *lp
		}
	}
	nearSlice(t, c, "logp", enginetest.SamplingLogprobs(v.Logits, s), want)
}

func klCase(t *testing.T, c Case) {
	v := decode[struct {
		PolicyLogps []float64 `json:"policy_logps"`
		RefLogps    []float64 `json:"ref_logps"`
		PerToken    []float64 `json:"per_token"`
		KL, Coef    float64
		Ret         float64
		Penalised   float64
	}](t, c)
	perToken := loss.KLTokens("k3", v.PolicyLogps, v.RefLogps)
	nearSlice(t, c, "per token", perToken, v.PerToken)
	kl := 0.0
	for _, k := range perToken {
		kl += k
	}
	near(t, c, "kl", kl, v.KL)
	near(t, c, "penalised return", loss.PenalisedReturn(v.Ret, kl, v.Coef), v.Penalised)
}

func valueLossCase(t *testing.T, c Case) {
	v := decode[struct {
		Value, Old, Target, Clipped, MSE float64
	}](t, c)
	clipped, _ := loss.SharedValueLoss(v.Value, v.Old, v.Target, 0.2)
	near(t, c, "shared", clipped, v.Clipped)
	mse, _ := loss.SquaredValueLoss(v.Value, v.Target)
	near(t, c, "mse", mse, v.MSE)
}

func madpoCase(t *testing.T, c Case) {
	v := decode[struct {
		Agents []struct{ Winner, Loser float64 }
		Beta   float64
		Deltas []float64
		Loss   float64
		Grad   []float64
	}](t, c)
	var agents []loss.JointPreference
	var deltas, grads []float64
	for _, a := range v.Agents {
		p := loss.JointPreference{Winner: a.Winner, Loser: a.Loser}
		agents, deltas = append(agents, p), append(deltas, p.Delta())
	}
	loss, grad := loss.MADPO(agents, v.Beta)
	for range agents {
		grads = append(grads, grad)
	}
	nearSlice(t, c, "deltas", deltas, v.Deltas)
	near(t, c, "loss", loss, v.Loss)
	nearSlice(t, c, "grad", grads, v.Grad)
}

func preferencePairsCase(t *testing.T, c Case) {
	v := decode[struct {
		Rewards []float64
		K       int
		Pairs   [][2]int
	}](t, c)
	got := loss.PreferencePairs(v.Rewards, v.K, 0)
	if len(got) != len(v.Pairs) {
		t.Fatalf("pairs %v, want %v", got, v.Pairs)
	}
	for i, want := range v.Pairs {
		equal(t, "pair", got[i], loss.Pair{Winner: want[0], Loser: want[1]})
	}
}

func optimizerStepsCase(t *testing.T, c Case) {
	v := decode[struct {
		Turns               []int
		RolloutBufferSize   int `json:"rollout_buffer_size"`
		TrainBatchSize      int `json:"train_batch_size"`
		Steps               int
		MinibatchesPerDrain [][][2]int `json:"minibatches_per_drain"` // [drain][turn and number of minibatches]
	}](t, c)
	buffer := loss.Buffer[int]{Size: v.RolloutBufferSize}
	var drains [][]int
	for _, turn := range v.Turns {
		if d := buffer.Add(turn); d != nil {
			drains = append(drains, d)
		}
	}
	if d := buffer.Drain(); len(d) > 0 {
		drains = append(drains, d)
	}
	if len(drains) != len(v.MinibatchesPerDrain) {
		t.Fatalf("%d drains, want %d", len(drains), len(v.MinibatchesPerDrain))
	}
	steps := 0
	for i, drained := range drains {
		batches := loss.Minibatches(drained, func(turn int) int { return turn }, v.TrainBatchSize, nil)
		steps += len(batches)
		checkMinibatches(t, batches, v.MinibatchesPerDrain[i])
	}
	equal(t, "steps", steps, v.Steps)
}

// checkMinibatches compares the turns of a drain's minibatches, in order, with pairs of turn and count.
func checkMinibatches(t *testing.T, batches [][]int, want [][2]int) {
	t.Helper()
	var turns []int
	for _, w := range want {
		for range w[1] {
			turns = append(turns, w[0])
		}
	}
	if len(batches) != len(turns) {
		t.Fatalf("%d minibatches, want %d", len(batches), len(turns))
	}
	for i, b := range batches {
		for _, turn := range b {
			equal(t, "turn of a minibatch", turn, turns[i])
		}
	}
}

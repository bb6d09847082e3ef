package vectortest

import (
	"testing"

	"parley/rl/credit"
	"parley/rl/loss"
)

func gaeCase(t *testing.T, c Case) {
	v := decode[struct {
		Gamma, Lambda      float64
		KLCoef             float64 `json:"kl_coef"`
		TerminalReward     float64 `json:"terminal_reward"`
		Logp, Values       []float64
		RefLogp            []float64 `json:"ref_logp"`
		TokenRewards       []float64 `json:"token_rewards"`
		Advantages         []float64
		Returns            []float64
		AdvantagesWhitened []float64 `json:"advantages_whitened"`
	}](t, c)
	kl, err := credit.SampledKL(credit.KLSampled, v.Logp, v.RefLogp)
	if err != nil {
		t.Fatal(err)
	}
	rewards := credit.TokenRewards(kl, v.KLCoef, v.TerminalReward, len(kl))
	nearSlice(t, c, "token_rewards", rewards, v.TokenRewards)
	advantages, returns := credit.GAE{Gamma: v.Gamma, Lambda: v.Lambda}.Estimate(rewards, v.Values)
	nearSlice(t, c, "advantages", advantages, v.Advantages)
	nearSlice(t, c, "returns", returns, v.Returns)
	nearSlice(t, c, "advantages_whitened", credit.Whiten([][]float64{advantages})[0], v.AdvantagesWhitened)
}

func whitenCase(t *testing.T, c Case) {
	v := decode[struct {
		Advantages, Whitened [][]float64
	}](t, c)
	nearRows(t, c, "whitened", credit.Whiten(v.Advantages), v.Whitened)
}

func ppoClipCase(t *testing.T, c Case) {
	v := decode[struct {
		Epsilon      float64
		LogpNew      []float64 `json:"logp_new"`
		LogpOld      []float64 `json:"logp_old"`
		Advantages   []float64
		Ratio        []float64
		LossPerToken []float64 `json:"loss_per_token"`
		Loss         float64
		ClipFraction float64 `json:"clip_fraction"`
	}](t, c)
	var ratio, losses []float64
	var mean, clipped float64
	n := float64(len(v.LogpNew))
	for i, a := range v.Advantages {
		s := loss.Clip{Low: v.Epsilon, High: v.Epsilon}.Surrogate(v.LogpNew[i], v.LogpOld[i], a)
		ratio, losses = append(ratio, s.Ratio), append(losses, s.Loss)
		mean += s.Loss / n
		if s.Clipped {
			clipped += 1 / n
		}
	}
	nearSlice(t, c, "ratio", ratio, v.Ratio)
	nearSlice(t, c, "loss_per_token", losses, v.LossPerToken)
	near(t, c, "loss", mean, v.Loss)
	near(t, c, "clip_fraction", clipped, v.ClipFraction)
}

func valueClipCase(t *testing.T, c Case) {
	v := decode[struct {
		Clip            *float64
		Half            bool
		LambdaValue     float64   `json:"lambda_value"`
		VOld            []float64 `json:"v_old"`
		VNew            []float64 `json:"v_new"`
		Returns         []float64
		MaxSquaredError []float64 `json:"max_squared_error"`
		Loss            float64
		ClipFraction    float64 `json:"clip_fraction"`
	}](t, c)
	o := loss.ValueObjective{Weight: v.LambdaValue, Half: v.Half, Clip: v.Clip != nil}
	if o.Clip {
		o.Range = *v.Clip
	}
	var squared []float64
	var mean, share float64
	n := float64(len(v.VNew))
	for i, ret := range v.Returns {
		e, _, clipped := o.SquaredError(v.VNew[i], v.VOld[i], ret)
		squared = append(squared, e)
		mean += e / n
		if clipped {
			share += 1 / n
		}
	}
	nearSlice(t, c, "max_squared_error", squared, v.MaxSquaredError)
	near(t, c, "loss", o.Factor()*mean, v.Loss)
	near(t, c, "clip_fraction", share, v.ClipFraction)
}

func bceCase(t *testing.T, c Case) {
	v := decode[struct {
		Labels          []int
		Tokens          string
		Logits, P       [][]float64
		LossPerSolution []float64 `json:"loss_per_solution"`
		Loss            float64
	}](t, c)
	tokens := loss.LossTokens(v.Tokens)
	if err := tokens.Check(); err != nil {
		t.Fatal(err)
	}
	var losses []float64
	var mean float64
	for i, logits := range v.Logits {
		losses = append(losses, solutionLoss(logits, v.Labels[i] == 1, tokens))
		mean += losses[i] / float64(len(v.Logits))
		for x, logit := range logits {
			_, p := loss.BinaryCrossEntropy(logit, false) // the derivative is p − y
			near(t, c, "p", p, v.P[i][x])
		}
	}
	nearSlice(t, c, "loss_per_solution", losses, v.LossPerSolution)
	near(t, c, "loss", mean, v.Loss)
}

func solutionLoss(logits []float64, right bool, tokens loss.LossTokens) float64 {
	used := logits[tokens.First(len(logits)):]
	sum := 0.0
	for _, logit := range used {
		loss, _ := loss.BinaryCrossEntropy(logit, right)
		sum += loss
	}
	return sum / float64(len(used))
}

func turnScheduleCase(t *testing.T, c Case) {
	v := decode[struct {
		Turns, Initial, Block, Update int
		TrainedTurn                   int `json:"trained_turn"`
	}](t, c)
	s := loss.TurnSchedule{Kind: loss.AlternatingTurns, Turns: v.Turns, First: min(2, v.Turns), Initial: v.Initial, Block: v.Block}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if got := s.Trained(v.Update); len(got) != 1 || got[0] != v.TrainedTurn {
		t.Errorf("update %d trains turns %v, want %d", v.Update, got, v.TrainedTurn)
	}
}

package vectortest

import (
	"encoding/json"
	"slices"
	"testing"

	"parley/rl/eval"
	"parley/systems/sweet"
)

func dialogueCase(t *testing.T, c Case) {
	type side struct{ Logps, Ref [][]float64 }
	v := decode[struct {
		Beta             float64
		Reduction        sweet.Reduction
		NLL              float64
		Chosen, Rejected side
		Scores           []float64
		Margin, DPO      float64
		NLLLoss          float64 `json:"nll_loss"`
		Loss             float64
		GradChosen       [][]float64 `json:"grad_chosen"`
		GradRejected     [][]float64 `json:"grad_rejected"`
	}](t, c)
	o := sweet.Objective{Beta: v.Beta, Reduction: v.Reduction, NLL: v.NLL}
	r, err := o.Pair(sweet.Dialogue{Logps: v.Chosen.Logps, Reference: v.Chosen.Ref}, sweet.Dialogue{Logps: v.Rejected.Logps, Reference: v.Rejected.Ref})
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "scores", []float64{r.Chosen, r.Rejected}, v.Scores)
	near(t, c, "margin", r.Margin, v.Margin)
	near(t, c, "dpo", r.DPO, v.DPO)
	near(t, c, "nll_loss", r.NLL, v.NLLLoss)
	near(t, c, "loss", r.Loss, v.Loss)
	nearRows(t, c, "grad_chosen", r.ChosenGrad, v.GradChosen)
	nearRows(t, c, "grad_rejected", r.RejectedGrad, v.GradRejected)
}

// norms are the reductions in the words of the vectors.
var norms = map[string]sweet.Reduction{"per_turn": sweet.TurnMean, "per_token": sweet.TokenMean}

func turnAdvantagesCase(t *testing.T, c Case) {
	v := decode[struct {
		ScoreRef string `json:"score_ref"`
		TrajNorm string `json:"traj_norm"`
		Turns    []struct {
			Theta, Ref []float64
			RefPlain   []float64 `json:"ref_plain"`
		}
		Advantages []float64
		Score      float64
	}](t, c)
	var d sweet.Dialogue
	for _, turn := range v.Turns {
		d.Logps = append(d.Logps, turn.Theta)
		d.Reference = append(d.Reference, map[string][]float64{"with_c": turn.Ref, "without_c": turn.RefPlain}[v.ScoreRef])
	}
	advantages, err := sweet.Advantages(d)
	if err != nil {
		t.Fatal(err)
	}
	nearSlice(t, c, "advantages", advantages, v.Advantages)
	score, err := norms[v.TrajNorm].Score(d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, c, "score", score, v.Score)
}

type vectorTrajectory struct {
	Reward float64
	Turns  []struct{ Theta, Ref []float64 }
}

func (v vectorTrajectory) dialogue() (d sweet.Dialogue) {
	for _, turn := range v.Turns {
		d.Logps, d.Reference = append(d.Logps, turn.Theta), append(d.Reference, turn.Ref)
	}
	return d
}

func criticCase(t *testing.T, c Case) {
	v := decode[struct {
		Beta, NLL     float64
		TrajNorm      string `json:"traj_norm"`
		Better, Worse vectorTrajectory
		Pair          bool
		Margin, Loss  json.RawMessage
	}](t, c)
	o := sweet.Objective{Beta: v.Beta, Reduction: norms[v.TrajNorm], NLL: v.NLL}
	r, ok, err := o.Compare(v.Better.dialogue(), v.Worse.dialogue(), v.Better.Reward, v.Worse.Reward)
	if err != nil {
		t.Fatal(err)
	}
	if ok != v.Pair {
		t.Errorf("pair %v, want %v", ok, v.Pair)
	}
	same(t, c, "margin", where(ok, r.Margin), v.Margin)
	same(t, c, "loss", where(ok, r.Loss), v.Loss)
}

func halvesCase(t *testing.T, c Case) {
	v := decode[struct {
		Scores                              []float64
		Draws                               [][2]float64
		Ranking, Top, Bottom, Middle, Pairs json.RawMessage
	}](t, c)
	h := eval.Halve(v.Scores)
	pairs := []any{}
	for _, d := range v.Draws {
		if chosen, rejected, ok := h.Draw(d[0], d[1]); ok {
			pairs = append(pairs, []int{chosen, rejected})
		}
	}
	same(t, c, "ranking", h.Ranking, v.Ranking)
	same(t, c, "top", h.Top, v.Top)
	same(t, c, "bottom", h.Bottom, v.Bottom)
	same(t, c, "middle", where(h.Middle >= 0, float64(h.Middle)), v.Middle)
	same(t, c, "pairs", pairs, v.Pairs)
}

func passingCase(t *testing.T, c Case) {
	v := decode[struct {
		Tasks     [][]float64
		Threshold float64
		PerTask   *int `json:"per_task"`
		Kept      json.RawMessage
	}](t, c)
	perTask := 0
	if v.PerTask != nil {
		perTask = *v.PerTask
	}
	kept := []any{}
	for _, r := range eval.Passing(v.Tasks, v.Threshold, perTask) {
		kept = append(kept, []int{r.Task, r.Trajectory})
	}
	same(t, c, "kept", kept, v.Kept)
}

func bestCase(t *testing.T, c Case) {
	v := decode[struct {
		Mode  string
		Tasks [][]float64
		Pairs json.RawMessage
	}](t, c)
	pairs := []any{}
	for _, p := range eval.Best(v.Tasks, v.Mode == "solved") {
		pairs = append(pairs, []int{p.Task, p.Chosen, p.Rejected})
	}
	same(t, c, "pairs", pairs, v.Pairs)
}

func proposalsCase(t *testing.T, c Case) {
	v := decode[struct {
		Rights    [][]int
		Threshold float64
		Share     float64
		Keep      bool
		Rows      [][]int
	}](t, c)
	var p eval.Proposals
	for _, peer := range v.Rights {
		verdicts := make([]bool, len(peer))
		for i, right := range peer {
			verdicts[i] = right == 1
		}
		p = append(p, verdicts)
	}
	near(t, c, "share", p.Share(), v.Share)
	if got := p.Rows(v.Threshold); p.Keep(v.Threshold) != v.Keep || !slices.EqualFunc(got, v.Rows, slices.Equal) {
		t.Errorf("kept %v, rows %v: want %v, %v", p.Keep(v.Threshold), got, v.Keep, v.Rows)
	}
}

func consultCase(t *testing.T, c Case) {
	v := decode[struct {
		Agent, User   []string
		Marker        string
		MaxTurns      int `json:"max_turns"`
		UserLimit     int `json:"user_limit"`
		Passed, Total int
		Turns         int
		Answer        string
		Heard         []string
		Reward        float64
		Success       bool
	}](t, c)
	rules := consultRules{Marker: v.Marker, Turns: v.MaxTurns, UserLimit: v.UserLimit}
	var said, heard []string
	for !rules.End(said).Over {
		if len(said) > 0 {
			heard = append(heard, rules.Heard(v.User[len(said)-1]))
		}
		said = append(said, v.Agent[len(said)])
	}
	end := rules.End(said)
	reward, success := consultScore(v.Passed, v.Total)
	near(t, c, "reward", reward, v.Reward)
	if end.Turns != v.Turns || end.Answer != v.Answer || !slices.Equal(heard, v.Heard) || success != v.Success {
		t.Errorf("%+v, heard %q, success %v: want %d turns, %q, %q, %v", end, heard, success, v.Turns, v.Answer, v.Heard, v.Success)
	}
}

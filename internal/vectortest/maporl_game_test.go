package vectortest

import (
	"testing"

	"parley/rl/game"
)

// vectorGame is the part of a game that vectors describe; fields that an entry lacks are zero.
type vectorGame struct {
	Turns, Threshold int
	RCol             float64 `json:"r_col"`
	RInd             float64 `json:"r_ind"`
	RSyn             float64 `json:"r_syn"`
	Tau              *float64
}

func (v vectorGame) game() game.Game {
	g := game.Game{Turns: v.Turns, Threshold: v.Threshold, RCol: v.RCol, RInd: v.RInd, RSyn: v.RSyn, Tau: 1}
	if v.Tau != nil { // hard best responses have none
		g.Tau = *v.Tau
	}
	return g
}

func gameCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorGame
		EntropyInValue bool    `json:"entropy_in_value"`
		PTurn1         float64 `json:"p_turn1"`
		Value          float64
	}](t, c)
	s := v.game().Equilibrium(game.EquilibriumOptions{Entropy: v.EntropyInValue})
	near(t, c, "p_turn1", s.First(), v.PTurn1)
	near(t, c, "value", s.Value, v.Value)
}

func gameStaticCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorGame
		PTurn1 float64 `json:"p_turn1"`
	}](t, c)
	near(t, c, "p_turn1", v.game().Static(game.SelectSide), v.PTurn1)
}

func gameFixedPointsCase(t *testing.T, c Case) {
	v := decode[struct{ K, D, Tau, Lowest, Highest, Selected float64 }](t, c)
	for selection, want := range map[game.Selection]float64{
		game.SelectLowest: v.Lowest, game.SelectHighest: v.Highest, game.SelectSide: v.Selected,
	} {
		near(t, c, string(selection), game.FixedPoint(v.K, v.D, v.Tau, selection), want)
	}
}

func gameBestResponseCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorGame
		Opponent float64
		Mode     string
		PTurn1   float64 `json:"p_turn1"`
		Value    float64
	}](t, c)
	modes := map[string]func(float64) game.Solution{"hard": v.game().HardResponse, "soft": v.game().SoftResponse}
	if modes[v.Mode] == nil {
		t.Fatalf("mode %q is not known", v.Mode)
	}
	s := modes[v.Mode](v.Opponent)
	near(t, c, "p_turn1", s.First(), v.PTurn1)
	near(t, c, "value", s.Value, v.Value)
}

func gameAverageCase(t *testing.T, c Case) {
	v := decode[struct {
		vectorGame
		Grid           int
		Kind           string
		Opponent       *float64
		EntropyInValue *bool   `json:"entropy_in_value"`
		MeanPTurn1     float64 `json:"mean_p_turn1"`
	}](t, c)
	kinds := map[string]func(game.Game) game.Solution{
		"equilibrium": func(g game.Game) game.Solution {
			return g.Equilibrium(game.EquilibriumOptions{Entropy: *v.EntropyInValue})
		},
		"best_response_hard": func(g game.Game) game.Solution { return g.HardResponse(*v.Opponent) },
		"best_response_soft": func(g game.Game) game.Solution { return g.SoftResponse(*v.Opponent) },
	}
	solve := kinds[v.Kind]
	if solve == nil {
		t.Fatalf("kind %q is not known", v.Kind)
	}
	got := v.game().GridMean(v.Grid, func(g game.Game) float64 { return solve(g).First() })
	near(t, c, "mean_p_turn1", got, v.MeanPTurn1)
}

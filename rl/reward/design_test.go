package reward

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// fig1 are the scores of paper Fig. 1.
var fig1 = [][]float64{{.99, .51, .18}, {.99, .11, .65}, {.85, .98, .99}}

// scored is a debate in which all agents speak in every turn, with these scores [turn][agent].
func scored(scores [][]float64) []Turn {
	debate := make([]Turn, len(scores))
	for t, turn := range scores {
		for a, v := range turn {
			debate[t] = append(debate[t], Answer{Agent: a, Score: v})
		}
	}
	return debate
}

// The reward table of §13, and the penalty that reaches back.
func TestSection13Rewards(t *testing.T) {
	penalised := [][]float64{{.8, .6}, {-10, .7}, {.9, .9}}
	for _, c := range []struct {
		design Design
		gamma  float64
		scores [][]float64
		want   [][]float64 // first two turns
	}{
		{Influence, 1, fig1, [][]float64{{.837778, .677778, .567778}, {.965, .525, .795}}},
		{Influence, .3, fig1, [][]float64{{.898993, .553669, .316259}, {.978462, .301538, .716923}}},
		{Cumulative, 1, fig1, [][]float64{{.943333, .533333, .606667}, {.92, .545, .82}}},
		{Cumulative, .3, fig1, [][]float64{{.980935, .454101, .333885}, {.957692, .310769, .728462}}},
		{Influence, 1, penalised, [][]float64{{-.983333, -1.05}, {-4.55, .8}}},
		{Influence, .3, penalised, [][]float64{{-.369784, -.513669}, {-7.484615, .746154}}},
	} {
		got := Rewards(c.design, c.gamma, scored(c.scores))
		near(t, got[:2], c.want, 5e-7)
		near(t, got[2:], c.scores[2:], 0)
	}
}

func TestOptionalDesigns(t *testing.T) {
	for d, want := range map[Design][]float64{
		TurnMean: {.56, .56, .56}, LastTurnMean: {.94, .94, .94}, LastTurnOwn: {.85, .98, .99},
	} {
		near(t, Rewards(d, 1, scored(fig1))[:1], [][]float64{want}, 1e-12)
	}
}

func TestSection22Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns, agents := rapid.IntRange(1, 5).Draw(t, "turns"), rapid.IntRange(1, 4).Draw(t, "agents")
		row := rapid.SliceOfN(rapid.Float64Range(0, 1), agents, agents)
		scores := rapid.SliceOfN(row, turns, turns).Draw(t, "scores")
		gamma := rapid.Float64Range(0, 1).Draw(t, "gamma")
		debate := scored(scores)
		immediate, cumulative, influence := Rewards(Immediate, gamma, debate), Rewards(Cumulative, gamma, debate), Rewards(Influence, gamma, debate)
		near(t, immediate, scores, 0)
		near(t, influence[turns-1:], scores[turns-1:], 1e-12) // last turn R = V
		near(t, cumulative[turns-1:], scores[turns-1:], 1e-12)
		for i := range scores {
			if m, n := average(influence[i]), average(cumulative[i]); math.Abs(m-n) > 1e-12 {
				t.Fatalf("turn %d: means %v and %v", i, m, n)
			}
			for a, r := range influence[i] {
				if r < -1e-12 || r > 1+1e-12 {
					t.Fatalf("turn %d agent %d: reward %v of scores in [0, 1]", i, a, r)
				}
			}
		}
		if agents == 1 {
			near(t, influence, cumulative, 1e-12)
		}
		near(t, Rewards(Influence, 0, debate), scores, 0) // γ = 0: all designs agree
		near(t, Rewards(Cumulative, 0, debate), scores, 0)
		constant := constantRows(turns, agents, scores[0][0])
		near(t, Rewards(Influence, gamma, scored(constant)), constant, 1e-12)
		near(t, Rewards(Cumulative, gamma, scored(constant)), constant, 1e-12)
	})
}

func average(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

func constantRows(turns, agents int, x float64) [][]float64 {
	rows := make([][]float64, turns)
	for i := range rows {
		rows[i] = make([]float64, agents)
		for a := range rows[i] {
			rows[i][a] = x
		}
	}
	return rows
}

func TestUnknownDesign(t *testing.T) {
	for _, d := range Designs {
		if err := d.Check(); err != nil {
			t.Error(err)
		}
	}
	if Design("karma").Check() == nil {
		t.Error("karma is a design")
	}
	defer func() {
		if recover() == nil {
			t.Error("rewards of an unknown design")
		}
	}()
	Rewards("karma", 1, scored(fig1))
}

// failer is what near needs of *testing.T and *rapid.T.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

func near(t failer, got, want [][]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d turns, want %d", len(got), len(want))
		return
	}
	for i := range got {
		for a := range got[i] {
			if len(got[i]) != len(want[i]) || !(math.Abs(got[i][a]-want[i][a]) <= tolerance) {
				t.Errorf("turn %d: %v, want %v", i+1, got[i], want[i])
				break
			}
		}
	}
}

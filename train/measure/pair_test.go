package measure

import (
	"context"
	"math"
	"reflect"
	"testing"

	"parley/task/environment"
)

// told is an environment.Table that answers by a rule, and knows what it was asked.
type told struct {
	environment.Table
	rule func(s environment.Situation) []float64
	list [][]float64
}

func (x *told) Logprobs(_ context.Context, at []environment.Situation) ([][]float64, error) {
	x.list = nil
	for _, s := range at {
		var row []float64
		for _, p := range x.rule(s) {
			row = append(row, math.Log(max(p, 1e-300)))
		}
		x.list = append(x.list, row)
	}
	return x.list, nil
}

// convention is a player of tiny Hanabi: what the first says with cards 1 and 2, and what the second answers to moves 1, 2 and 3.
type convention struct {
	first  string
	second [2]string
}

func (c convention) rule(s environment.Situation) []float64 {
	said := c.first[s.Problem.Question[0]-'1']
	if s.Agent == "second" {
		said = c.second[s.Problem.Question[1]-'1'][s.Said["first"][0][0]-'1']
	}
	out := make([]float64, 3)
	out[said-'1'] = 1
	return out
}

// TestPairExact: the matrix of three conventions is known. The first two are each other's mirror images: 10 with itself and 7.5, and with the other the
// cells that are left, by hand from the payoffs; the third always says 2, which pays 8 whatever the other knows.
func TestPairExact(t *testing.T) {
	l := opened(t, "tiny-hanabi", "first", "second")
	players := []convention{{"31", [2]string{"311", "113"}}, {"13", [2]string{"111", "311"}}, {"22", [2]string{"121", "121"}}}
	pays := [2][2][3][3]float64{{{{10, 0, 0}, {4, 8, 4}, {10, 0, 0}}, {{0, 0, 10}, {4, 8, 4}, {0, 0, 10}}}, {{{0, 0, 10}, {4, 8, 4}, {0, 0, 0}}, {{10, 0, 0}, {4, 8, 4}, {10, 0, 0}}}}
	var guests []*Guest
	for _, c := range players {
		g, x := NewGuest(l, false, 2, 1), &told{rule: c.rule}
		if _, err := g.lineup.Task.(world).World().(game).Measure(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		g.known = x.list
		guests = append(guests, g)
	}
	for i, first := range players {
		for j, second := range players {
			want := 0.0
			for a := range 2 {
				for b := range 2 {
					said := first.first[a] - '1'
					want += pays[a][b][said][second.second[b][said]-'1'] / 4
				}
			}
			names, got, exact, err := Pair(t.Context(), guests[i], guests[j])
			if err != nil || !exact || !reflect.DeepEqual(names, []string{"return", "signal"}) || math.Abs(got["return"]-want) > 1e-9 || len(got) != 2 {
				t.Errorf("%d with %d: %v %v, exact %v, %v; want %v", i, j, names, got, exact, err, want)
			}
			if i == j && want != []float64{10, 7.5, 8}[i] {
				t.Errorf("convention %d is worth %v", i, want)
			}
			if signal := []float64{1, 1, 0}[i]; math.Abs(got["signal"]-signal) > 1e-9 {
				t.Errorf("the first of %d signals %v", i, got["signal"])
			}
		}
	}
}

// TestPairOfOneTeam: a team with itself has the numbers of its report where they are exact, and where it plays they repeat.
func TestPairOfOneTeam(t *testing.T) {
	l := opened(t, "kuhn", "first", "second")
	whole, err := Plays(t.Context(), l, false)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGuest(l, false, 12, 1)
	if g.Told() {
		t.Error("nothing was asked")
	}
	_, got, exact, err := Pair(t.Context(), g, g)
	if err != nil || !exact || !g.Told() || got["first_player"] != whole["first_player"] {
		t.Errorf("%v, exact %v, %v; want %v", got, exact, err, whole)
	}
	l = opened(t, "tic-tac-toe", "x", "o")
	one, other := NewGuest(l, false, 12, 1), NewGuest(l, false, 12, 1)
	names, got, exact, err := Pair(t.Context(), one, other)
	if err != nil || exact || !reflect.DeepEqual(names, []string{TeamPaid, "x", "o"}) || got[TeamPaid] != 0 || got["x"] == 0 && got["o"] == 0 {
		t.Errorf("%v %v, exact %v, %v", names, got, exact, err)
	}
	if _, again, _, err := Pair(t.Context(), one, one); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("the same games: %v and %v, %v", got, again, err)
	}
}

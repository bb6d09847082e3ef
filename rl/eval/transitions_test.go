package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawCorrect(t *rapid.T) [][][]bool {
	turns, agents := rapid.IntRange(1, 4).Draw(t, "turns"), rapid.IntRange(1, 5).Draw(t, "agents")
	turn := rapid.SliceOfN(rapid.Bool(), agents, agents)
	return rapid.SliceOfN(rapid.SliceOfN(turn, turns, turns), 1, 6).Draw(t, "correct")
}

func accuracy(correct [][][]bool, turn int) float64 {
	n, right := 0, 0
	for _, question := range correct {
		for _, r := range question[turn] {
			n++
			right += bit(r)
		}
	}
	return float64(right) / float64(n)
}

// The identities of §8.3.
func TestSection83Identities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		correct := drawCorrect(t)
		all := Transitions(correct)
		if len(all) != len(correct[0])-1 {
			t.Fatalf("%d pairs of turns", len(all))
		}
		same := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s is %v, want %v", what, got, want)
			}
		}
		for i, tr := range all {
			same("sum of shares", tr.RR+tr.WR+tr.RW+tr.WW, 1)
			same("RR + RW", tr.Before(), accuracy(correct, i))
			same("RR + WR", tr.After(), accuracy(correct, i+1))
			same("net", tr.Net(), tr.After()-tr.Before())
			if tr.Own.WRW+tr.Own.WRR > tr.WR+1e-12 || tr.Own.RWR+tr.Own.RWW > tr.RW+1e-12 {
				t.Fatal("conditioned moves outnumber the moves")
			}
			for _, c := range []float64{tr.OwnConditional.RWR, tr.OwnConditional.RWW, tr.OwnConditional.WRW, tr.OwnConditional.WRR} {
				if !math.IsNaN(c) && (c < 0 || c > 1) {
					t.Fatalf("conditional share %v", c)
				}
			}
		}
	})
}

// Exchanging right and wrong mirrors every letter.
func TestTransitionsMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		correct := drawCorrect(t)
		mirrored := make([][][]bool, len(correct))
		for q := range correct {
			for _, turn := range correct[q] {
				row := make([]bool, len(turn))
				for a := range turn {
					row[a] = !turn[a]
				}
				mirrored[q] = append(mirrored[q], row)
			}
		}
		a, b := Transitions(correct), Transitions(mirrored)
		for i := range a {
			if a[i].RR != b[i].WW || a[i].RW != b[i].WR || a[i].Own.RWR != b[i].Own.WRW || a[i].Influence.RWW != b[i].Influence.WRR {
				t.Fatalf("%+v is not the mirror of %+v", a[i], b[i])
			}
		}
	})
}

// The paper's Figs. 3 and 4 in percent (§10): RR + RW of one pair of turns is RR + WR of the pair before, and the net changes
// lead from .677 to the accuracies of Table 7 (§13, consistency).
func TestSection13FiguresAreConsistent(t *testing.T) {
	for name, pair := range map[string][2]Shares{
		"GSM8K off-the-shelf": {{RR: 58.6, WR: 10.2, RW: 9.1, WW: 22.1}, {RR: 59.0, WR: 4.9, RW: 9.9, WW: 26.2}},
		"GSM8K trained":       {{RR: 65.4, WR: 14.3, RW: 2.3, WW: 18.0}, {RR: 77.3, WR: 3.6, RW: 2.4, WW: 16.6}},
		"ANLI off-the-shelf":  {{RR: 41.0, WR: 7.6, RW: 7.2, WW: 44.2}, {RR: 41.9, WR: 5.0, RW: 6.7, WW: 46.4}},
		"ANLI trained":        {{RR: 39.5, WR: 12.7, RW: 8.6, WW: 39.2}, {RR: 47.0, WR: 6.2, RW: 5.2, WW: 41.6}},
	} {
		if d := pair[1].Before() - pair[0].After(); math.Abs(d) > 0.11 {
			t.Errorf("%s: turn 2 is off by %v", name, d)
		}
	}
	trained := []Shares{{RR: .654, WR: .143, RW: .023, WW: .180}, {RR: .773, WR: .036, RW: .024, WW: .166}}
	at := .677
	for i, want := range []float64{.797, .809} {
		if at += trained[i].Net(); math.Abs(at-want) > .001 {
			t.Errorf("turn %d at %v, want %v", i+2, at, want)
		}
	}
}

func TestVotedTransitions(t *testing.T) {
	got := VotedTransitions([][]float64{{1, 0.5}, {0, 1}})
	if want := (Shares{RR: 0.25, WR: 0.5, RW: 0.25, WW: 0}); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if VotedTransitions(nil) != nil || Transitions(nil) != nil {
		t.Error("transitions of nothing")
	}
}

func TestOthersMajority(t *testing.T) {
	for _, c := range []struct {
		correct     []bool
		agent, want int
	}{
		{[]bool{true}, 0, 0},
		{[]bool{true, false}, 0, -1},
		{[]bool{true, false}, 1, 1},
		{[]bool{true, true, false}, 0, 0},
		{[]bool{false, true, true}, 0, 1},
		{[]bool{true, false, false, true}, 0, -1},
	} {
		if got := OthersMajority(c.correct, c.agent); got != c.want {
			t.Errorf("majority of the others of %d in %v is %d, want %d", c.agent, c.correct, got, c.want)
		}
	}
}

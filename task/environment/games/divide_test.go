package games

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// estate is an instance that both can get 9 and 8 of: the first takes all of the first kind and the one of the third.
const estate = `{"counts":[2,3,1],"first":[4,0,2],"second":[1,2,2]}`

// TestDivide: what is said decides what is offered and agreed on, turn by turn.
func TestDivide(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, c := range []struct {
		name string
		said []string // by turns
		seen string   // by who speaks next, behind the items
		paid map[string]float64
	}{
		{"nothing said", nil, "TURN 1 of 6", nil},
		{"talk", []string{"hello"}, "TURN 2 of 6 hello", nil},
		{"a long text", []string{long}, "TURN 2 of 6 " + long[:400], nil},
		{"accept an offer", []string{"offer 2 0 1", "accept"}, "", map[string]float64{"a": 1, "b": 0.6}},
		{"words around", []string{"I'd say: offer\n2  0\t0, fair?", "Well, I accept."}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"the second offers", []string{"?", "offer 0 3 1", "accept"}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"the first match counts", []string{"offer 2 0 0 or offer 2 3 1", "accept"}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"a newer offer", []string{"offer 2 3 1", "no", "offer 2 0 0", "accept"}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"an offer beside accept", []string{"offer 2 3 1", "accept? offer 1 3 1"}, "TURN 3 of 6 accept? offer 1 3 1", nil},
		{"it stands behind one's own", []string{"offer 2 0 0", "offer 2 3 1", "no", "accept"}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"out of range is talk", []string{"offer 3 0 0", "accept"}, "TURN 3 of 6 accept", nil},
		{"and leaves the offer before", []string{"offer 2 0 0", "no", "offer 2 0 9, then offer 0 0 0", "accept"}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"a number beyond all", []string{"offer 99999999999999999999 0 0", "accept"}, "TURN 3 of 6 accept", nil},
		{"two numbers", []string{"offer 2 0", "accept"}, "TURN 3 of 6 accept", nil},
		{"nothing to accept", []string{"accept", "offer 0 0 0"}, "TURN 3 of 6 offer 0 0 0", nil},
		{"one's own offer", []string{"offer 2 0 0", "no", "accept"}, "TURN 4 of 6 accept", nil},
		{"another word", []string{"offer 2 0 0", "acceptable"}, "TURN 3 of 6 acceptable", nil},
		{"a member of an object", []string{`{"thought": "offer 2 3 1?", "move": "offer 2 0 0"}`, `{"thought": "offer 9 9 9", "move": "accept"}`}, "", map[string]float64{"a": 0.8, "b": 0.8}},
		{"all turns", []string{"1", "2", "3", "4", "5", "6"}, "", map[string]float64{}},
		{"the last turn", []string{"1", "2", "3", "4", "offer 0 0 1", "accept"}, "", map[string]float64{"a": 0.2, "b": 0.8}},
	} {
		w, names := Divide().Open([]string{"a", "b"}), []string{"a", "b"}
		o, err := w.Reset(t.Context(), task.Problem{Question: estate})
		for turn, text := range c.said {
			if o.Done {
				t.Errorf("%s: over after turn %d", c.name, turn)
			}
			if still, _ := w.Step(t.Context(), o.State, map[string]string{names[1-turn%2]: "offer 0 0 0"}); string(still.State) != string(o.State) {
				t.Errorf("%s: turn %d is not that of %s, who spoke", c.name, turn+1, names[1-turn%2])
			}
			if err == nil {
				o, err = w.Step(t.Context(), o.State, map[string]string{"a": text, "b": text})
			}
		}
		next := len(c.said) % 2
		seen := []string{"items 2 3 1 worth 4 0 2 ", "items 2 3 1 worth 1 2 2 "}[next] + c.seen
		if err != nil || o.Done != (c.paid != nil) || !maps.Equal(o.Agents, c.paid) || o.Team != 0 || !o.Done && o.Observations[names[next]] != seen {
			t.Errorf("%s: %+v, %v; want %q, %v", c.name, o, err, seen, c.paid)
		}
	}
	for _, question := range []string{"", `{}`, `{"counts":[2,3,1],"first":[4,0,2],"second":[1,2,3]}`, `{"counts":[2,3,0],"first":[5,0,0],"second":[2,2,7]}`, `{"counts":[2,3,1],"first":[-1,4,0],"second":[1,2,2]}`} {
		if _, err := Divide().Open([]string{"a", "b"}).Reset(t.Context(), task.Problem{Question: question}); err == nil {
			t.Errorf("%s is an instance", question)
		}
	}
}

// takers earn by a rule, with no model: the first takes what is worth something to it.
type takers struct {
	environment.Table
	takes func(e Estate) (kinds Kinds, agreed bool)
	games int
	seen  map[string]bool
}

func (p takers) Games() int { return p.games }

func (p takers) Play(_ context.Context, matches []environment.Match) (out []map[string]float64, err error) {
	for _, m := range matches {
		p.seen[m.Problem.ID] = true
		e, err := estateOf(m.Problem)
		if err != nil {
			return nil, err
		}
		earned := map[string]float64{"a": 0, "b": 0}
		if takes, agreed := p.takes(e); agreed {
			u, v := e.split(takes)
			earned = map[string]float64{"a": float64(u) / 10, "b": float64(v) / 10}
		}
		out = append(out, earned)
	}
	return out, nil
}

// TestDivideMeasure: each item to whom it is worth more is the best and Pareto-optimal; all to one of them is Pareto-optimal where nothing of it is
// worth nothing; who does not agree has nothing.
func TestDivideMeasure(t *testing.T) {
	_, held := divideProblems()
	best := func(e Estate) (k Kinds, agreed bool) {
		for i := range k {
			if e.First[i] > e.Second[i] {
				k[i] = e.Counts[i]
			}
		}
		return k, true
	}
	n := 0
	for _, c := range []struct {
		name  string
		takes func(e Estate) (Kinds, bool)
		want  map[string]float64
	}{
		{"best", best, map[string]float64{"agreed": 1, "joint": 1, "pareto": 1}},
		{"nobody", func(Estate) (Kinds, bool) { return Kinds{}, false }, map[string]float64{"agreed": 0, "joint": 0, "pareto": 0, "nash": 0}},
		{"every other", func(e Estate) (Kinds, bool) { n++; k, _ := best(e); return k, n%2 == 0 }, map[string]float64{"agreed": 0.5, "joint": 0.5, "pareto": 0.5}},
		{"all to one", func(e Estate) (Kinds, bool) { return e.Counts, true }, map[string]float64{"agreed": 1, "nash": 0}},
	} {
		table := takers{takes: c.takes, games: 2 * len(held), seen: map[string]bool{}}
		got, err := divideWorld{[]string{"a", "b"}}.Measure(t.Context(), table)
		for name, want := range c.want {
			if math.Abs(got[name]-want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", c.name, name, got[name], want)
			}
		}
		if err != nil || len(got) != 4 || len(table.seen) != len(held) {
			t.Errorf("%s: %v, %v, of %d instances", c.name, got, err, len(table.seen))
		}
	}
}

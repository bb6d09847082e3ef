// This file is bargaining in words: two agents divide items among them that each values in its own way.
//
// There are three kinds of items, 1 to 4 of each and 5 to 7 in all. Each agent has a private value of 0 to 10 for an item of a kind, and all items
// together are worth exactly 10 to it. Every kind is worth something to somebody, and some kind to both. These are the 5,295 instances; one in five is
// held out.
//
// Agents speak in turn, and the first one begins. Any text may be said, and the other hears its first 200 characters. The first "offer A B C" in a text
// is what its speaker takes, and the other would have the rest; it stands until the speaker makes another one. "accept" in a text without an offer takes
// the standing offer of the other, and ends the game. Offers of items that there are not, and "accept" where the other has offered nothing, are talk. Of
// a text that is a JSON object the member move is read, if it has one. Whoever agrees gets what its items are worth to it, a tenth of that each alone, and
// nobody gets anything who has not agreed after six turns. The team is paid nothing: an agent's weights say whose pay it learns from.
//
// Lewis and others (2017, arXiv 1706.05125) let people and models play it; the numbers are ours.

package games

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"parley/task"
	"parley/task/answer"
	"parley/task/environment"
)

const (
	divideTurns = 6   // of both together
	divideHeard = 200 // characters of a text
	divideWorth = 10  // of all items, to each
)

// Divide returns the game.
func Divide() environment.Game {
	return environment.Game{
		Name: "divide", About: "Two agents bargain in words about items that each values in its own way.", Agents: 2, Least: 0, Most: 1,
		Pairs:    []string{"joint", "agreed", "pareto", "nash"},
		Open:     func(agents []string) environment.Environment { return divideWorld{agents} },
		Problems: divideProblems,
	}
}

// Kinds is a number for each kind of items.
type Kinds [3]int

// of is the sum of what so many items are worth.
func (k Kinds) of(values Kinds) int { return k[0]*values[0] + k[1]*values[1] + k[2]*values[2] }

// least is the smallest number.
func (k Kinds) least() int { return min(k[0], k[1], k[2]) }

// String writes the numbers with blanks between.
func (k Kinds) String() string { return fmt.Sprintf("%d %d %d", k[0], k[1], k[2]) }

// between visits all numbers of items from least to most.
func between(least, most Kinds, visit func(Kinds)) {
	for a := least[0]; a <= most[0]; a++ {
		for b := least[1]; b <= most[1]; b++ {
			for c := least[2]; c <= most[2]; c++ {
				visit(Kinds{a, b, c})
			}
		}
	}
}

// An Estate is an instance: how many items there are, and what one of each kind is worth to the first agent and to the second.
type Estate struct {
	Counts Kinds `json:"counts"`
	First  Kinds `json:"first"`
	Second Kinds `json:"second"`
}

// Estates are all instances, in lexicographic order.
func Estates() (out []Estate) {
	between(Kinds{1, 1, 1}, Kinds{4, 4, 4}, func(counts Kinds) {
		if n := counts.of(Kinds{1, 1, 1}); n < 5 || n > 7 {
			return
		}
		var values []Kinds
		between(Kinds{}, Kinds{divideWorth, divideWorth, divideWorth}, func(k Kinds) {
			if counts.of(k) == divideWorth {
				values = append(values, k)
			}
		})
		for _, first := range values {
			for _, second := range values {
				some, both := true, false // every kind is worth something to somebody, and some kind to both
				for i := range first {
					some, both = some && first[i]+second[i] > 0, both || first[i]*second[i] > 0
				}
				if some && both {
					out = append(out, Estate{counts, first, second})
				}
			}
		}
	})
	return out
}

// split is what both get where the first takes so many items.
func (e Estate) split(takes Kinds) (first, second int) {
	return takes.of(e.First), divideWorth - takes.of(e.Second)
}

// Facts are what can come of an instance.
type Facts struct {
	Best, Nash, Egalitarian int      // the most that a sum, a product and the smaller of both can be
	Pareto                  [][2]int // what both get where neither can get more without the other getting less, in order
}

// Facts looks at all splits.
func (e Estate) Facts() (out Facts) {
	var all [][2]int
	between(Kinds{}, e.Counts, func(takes Kinds) {
		u, v := e.split(takes)
		all = append(all, [2]int{u, v})
		out.Best, out.Nash, out.Egalitarian = max(out.Best, u+v), max(out.Nash, u*v), max(out.Egalitarian, min(u, v))
	})
	for _, x := range all {
		better := func(y [2]int) bool { return y[0] >= x[0] && y[1] >= x[1] && y != x }
		if !slices.Contains(out.Pareto, x) && !slices.ContainsFunc(all, better) {
			out.Pareto = append(out.Pareto, x)
		}
	}
	slices.SortFunc(out.Pareto, func(x, y [2]int) int { return x[0] - y[0] })
	return out
}

func divideProblems() (train, held []task.Problem) { return environment.HoldOut("divide", Estates()) }

// estateOf is the instance of a problem.
func estateOf(p task.Problem) (e Estate, err error) {
	err = json.Unmarshal([]byte(p.Question), &e)
	if err == nil && (min(e.Counts.least()-1, e.First.least(), e.Second.least()) < 0 || e.Counts.of(e.First) != divideWorth || e.Counts.of(e.Second) != divideWorth) {
		err = fmt.Errorf("there is at least one item of each kind, and all together are worth %d to each", divideWorth)
	}
	if err != nil {
		return e, fmt.Errorf("divide: problem %s is no instance: %.80s: %w", p.ID, p.Question, err)
	}
	return e, nil
}

// A divideTable is a state: an instance, how many have spoken, and what each offers and said last.
type divideTable struct {
	Estate
	Spoken int       `json:"spoken,omitempty"`
	Offers [2]*Kinds `json:"offers"` // what each takes
	Last   [2]string `json:"last"`
}

var (
	offered  = regexp.MustCompile(`\boffer\s+(\d+)\s+(\d+)\s+(\d+)`)
	accepted = regexp.MustCompile(`\baccept\b`)
)

// hear takes over what an agent says, and returns what the first takes where that is an agreement; nil: it is none.
func (t *divideTable) hear(mover int, said string) (agreed *Kinds) {
	heard := []rune(said)
	t.Spoken, t.Last[mover] = t.Spoken+1, string(heard[:min(len(heard), divideHeard)])
	if member, ok := answer.Member(said, "move"); ok {
		said = member
	}
	if found := offered.FindStringSubmatch(said); found != nil {
		var takes Kinds
		for i := range takes {
			n, err := strconv.Atoi(found[i+1])
			if err != nil || n > t.Counts[i] {
				return nil
			}
			takes[i] = n
		}
		t.Offers[mover] = &takes
		return nil
	}
	other := t.Offers[1-mover]
	if other == nil || !accepted.MatchString(said) {
		return nil
	}
	if mover == 1 {
		return other
	}
	return &Kinds{t.Counts[0] - other[0], t.Counts[1] - other[1], t.Counts[2] - other[2]}
}

type divideWorld struct{ agents []string }

// Reset implements [environment.Environment].
func (w divideWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	e, err := estateOf(p)
	if err != nil {
		return environment.Outcome{}, err
	}
	return w.show(divideTable{Estate: e})
}

// Step implements [environment.Environment].
func (w divideWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var t divideTable
	if err := json.Unmarshal(before, &t); err != nil {
		return environment.Outcome{}, fmt.Errorf("divide: %w", err)
	}
	mover := t.Spoken % 2
	said, speaks := actions[w.agents[mover]]
	if !speaks {
		return w.show(t) // it is the other's turn
	}
	agreed := t.hear(mover, said)
	o, err := w.show(t)
	o.Done = agreed != nil || t.Spoken >= divideTurns
	if agreed != nil {
		u, v := t.split(*agreed)
		o.Agents = map[string]float64{w.agents[0]: float64(u) / divideWorth, w.agents[1]: float64(v) / divideWorth}
	}
	return o, err
}

// show is what each observes: the items, what they are worth to it, whose turn it is by its number, and what the other said last.
func (w divideWorld) show(t divideTable) (environment.Outcome, error) {
	state, err := json.Marshal(t)
	o := environment.Outcome{State: state, Observations: map[string]string{}}
	for i, values := range []Kinds{t.First, t.Second} {
		seen := fmt.Sprintf("items %s worth %s TURN %d of %d", t.Counts, values, min(t.Spoken+1, divideTurns), divideTurns)
		o.Observations[w.agents[i]] = seen + after(" ", t.Last[1-i])
	}
	return o, err
}

// Measure lets the agents play among themselves over the held-out instances, in order and from the beginning again. Of all games it returns the share that
// ended in an agreement that pays somebody, the mean share of what both could get together, the share of Pareto-optimal ends, and the mean share of the
// greatest product of what both get.
func (w divideWorld) Measure(ctx context.Context, t environment.Table) (map[string]float64, error) {
	_, held := divideProblems()
	var matches []environment.Match
	for i := range t.Games() {
		matches = append(matches, environment.Match{Problem: held[i%len(held)]})
	}
	earned, err := t.Play(ctx, matches)
	if err != nil {
		return nil, fmt.Errorf("play among the agents: %w", err)
	}
	out := map[string]float64{"agreed": 0, "joint": 0, "pareto": 0, "nash": 0}
	for i, m := range matches {
		e, err := estateOf(m.Problem)
		if err != nil {
			return nil, err
		}
		u, v, game := whole(earned[i][w.agents[0]]), whole(earned[i][w.agents[1]]), 1/float64(len(matches))
		best := e.Facts()
		if u+v > 0 {
			out["agreed"] += game
		}
		if slices.Contains(best.Pareto, [2]int{u, v}) {
			out["pareto"] += game
		}
		out["joint"] += game * float64(u+v) / float64(best.Best)
		out["nash"] += game * float64(u*v) / float64(best.Nash)
	}
	return out, nil
}

// whole is what items are worth that pay so much.
func whole(pay float64) int { return int(pay*divideWorth + 0.5) }

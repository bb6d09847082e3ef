package games

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/task"
	"parley/task/environment"
)

// This file is what small games of two have in common: a deal, and then moves, each a digit. All their lines of play can be followed, so that what a
// policy earns, and what a best answer to it earns, are sums and no estimates.

// rules are those of such a game.
type rules struct {
	name     string
	deals    []string // the questions of problems, each as likely as the others
	digits   string   // that a text is searched for
	team     bool     // what is paid is one reward for both
	together bool     // both move at once: the second's move is behind the first's, but it has not seen that
	illegal  float64  // what somebody gets whose text is no legal move, which ends the game
	at       func(deal, moves string) line
	measure  func(*rules, policy) map[string]float64
}

// A line is where a game stands after some moves.
type line struct {
	mover int        // 0 or 1
	legal string     // moves; none: the game is over
	seen  [2]string  // what each observes
	paid  [2]float64 // for the last move
}

// set names the information set of the mover.
func (l line) set() string { return strconv.Itoa(l.mover) + l.seen[l.mover] }

// A policy has the probability of each legal move at every information set.
type policy map[string][]float64

// A reached is a line, how likely it is, and what was paid up to it.
type reached struct {
	line
	deal, moves string
	chance      float64
	sum         [2]float64
}

// begins are the deals.
func (r *rules) begins() (out []reached) {
	for _, d := range r.deals {
		out = append(out, reached{line: r.at(d, ""), deal: d, chance: 1 / float64(len(r.deals))})
	}
	return out
}

// after is what follows a move of some probability.
func (r *rules) after(x reached, move byte, chance float64) reached {
	x.moves, x.chance = x.moves+string(move), x.chance*chance
	x.line = r.at(x.deal, x.moves)
	x.sum[0], x.sum[1] = x.sum[0]+x.paid[0], x.sum[1]+x.paid[1]
	return x
}

// follow plays a policy from some lines on, any moves where it is nil, and visits all on the way. Where visit says so, it goes no further.
func (r *rules) follow(from []reached, p policy, visit func(reached) (stop bool)) {
	for _, x := range from {
		if visit(x) {
			continue
		}
		for i := range len(x.legal) {
			chance := 1.0
			if p != nil {
				chance = p[x.set()][i]
			}
			r.follow([]reached{r.after(x, x.legal[i], chance)}, p, visit)
		}
	}
}

// expect is the mean over the ends of play of some number.
func (r *rules) expect(p policy, of func(reached) float64) (sum float64) {
	r.follow(r.begins(), p, func(x reached) bool {
		if x.legal == "" {
			sum += x.chance * of(x)
		}
		return false
	})
	return sum
}

// value is what a player earns on average.
func (r *rules) value(p policy, player int) float64 {
	return r.expect(p, func(x reached) float64 { return x.sum[player] })
}

// best is what a player earns that plays its best answer to a policy of the other.
func (r *rules) best(p policy, player int) float64 { return r.bestFrom(r.begins(), p, player) }

func (r *rules) bestFrom(from []reached, p policy, player int) (sum float64) {
	sets := map[string][]reached{} // lines that the player cannot tell apart
	r.follow(from, p, func(x reached) bool {
		if x.legal == "" {
			sum += x.chance * x.sum[player]
		} else if x.mover == player {
			sets[x.seen[player]] = append(sets[x.seen[player]], x)
		}
		return x.mover == player
	})
	for _, seen := range slices.Sorted(maps.Keys(sets)) { // in one order, so that sums are always the same
		most := math.Inf(-1)
		for i := range len(sets[seen][0].legal) {
			var next []reached
			for _, x := range sets[seen] {
				next = append(next, r.after(x, x.legal[i], 1))
			}
			most = max(most, r.bestFrom(next, p, player))
		}
		sum += most
	}
	return sum
}

// zeroSum measures a policy that plays both seats, where one gains what the other loses. exploitability is the mean of what best answers to it
// gain: 0 is an equilibrium.
func zeroSum(r *rules, p policy) map[string]float64 {
	return map[string]float64{"exploitability": (r.best(p, 0) + r.best(p, 1)) / 2, "first_player": r.value(p, 0)}
}

// sets are lines of play that lead to each information set, one each.
func (r *rules) sets() (out []reached) {
	known := map[string]bool{}
	r.follow(r.begins(), nil, func(x reached) bool {
		if x.legal != "" && !known[x.set()] {
			known[x.set()], out = true, append(out, x)
		}
		return false
	})
	return out
}

// A Set is an information set: what its mover observes, and the moves that are legal there.
type Set struct {
	Seen  string
	Legal []string
}

// Sets are the information sets of a game of which every line of play can be followed, as Kuhn poker's; of other games there are none.
func Sets(g environment.Game) (out []Set) {
	if w, followed := g.Open(nil).(turns); followed {
		for _, x := range w.sets() {
			out = append(out, Set{x.seen[x.mover], strings.Split(x.legal, "")})
		}
	}
	return out
}

// repeated are the problems of a game whose measured play is random: its deals, so many times, in both splits. There are no others.
func (r *rules) repeated(times int) func() (train, held []task.Problem) {
	return func() (train, held []task.Problem) {
		known := map[string]int{}
		for range times {
			for _, question := range r.deals {
				name := fmt.Sprintf("%s-%d", question, known[question])
				train = append(train, task.Problem{ID: "deal-" + name, Question: question})
				held = append(held, task.Problem{ID: "held-" + name, Question: question})
				known[question]++
			}
		}
		return train, held
	}
}

// open is the world of agents of these names.
func (r *rules) open(agents []string) environment.Environment { return turns{r, agents} }

// A turns is the world of such a game.
type turns struct {
	*rules
	agents []string
}

// A turnState is a deal and the moves so far.
type turnState struct {
	Deal    string `json:"deal"`
	History string `json:"history"`
}

// Reset implements [environment.Environment].
func (w turns) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	if !slices.Contains(w.deals, p.Question) {
		return environment.Outcome{}, fmt.Errorf("%s: problem %s is no deal: %.80s", w.name, p.ID, p.Question)
	}
	return w.show(turnState{Deal: p.Question})
}

// Step implements [environment.Environment].
func (w turns) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var s turnState
	if err := json.Unmarshal(before, &s); err != nil {
		return environment.Outcome{}, fmt.Errorf("%s: %w", w.name, err)
	}
	for range w.atOnce() {
		at := w.at(s.Deal, s.History)
		mover := w.agents[at.mover]
		text, moves := actions[mover]
		if !moves {
			return w.show(s) // it is the other's turn
		}
		move, ok := environment.Digit(text, w.digits)
		if said := strconv.Itoa(move); ok && strings.Contains(at.legal, said) {
			s.History += said
			continue
		}
		o, err := w.show(s)
		o.All, o.Observations = "illegal move of "+mover, nil
		if o.Done, o.Info = true, environment.Illegal(mover); w.illegal != 0 {
			o.Agents = map[string]float64{mover: w.illegal}
		}
		return o, err
	}
	o, err := w.show(s)
	at := w.at(s.Deal, s.History)
	if o.Done = at.legal == ""; w.team {
		o.Team = at.paid[0]
	} else if at.paid != [2]float64{} || o.Done {
		o.Agents = map[string]float64{w.agents[0]: at.paid[0], w.agents[1]: at.paid[1]}
	}
	return o, err
}

// atOnce is how many move in a step.
func (r *rules) atOnce() int {
	if r.together {
		return 2
	}
	return 1
}

// show is what both observe.
func (w turns) show(s turnState) (environment.Outcome, error) {
	text, err := json.Marshal(s)
	seen := w.at(s.Deal, s.History).seen
	return environment.Outcome{State: text, Observations: map[string]string{w.agents[0]: seen[0], w.agents[1]: seen[1]}}, err
}

// Measure computes from the agents' probabilities of the legal moves at every information set, renormalised, what the game measures. moves is the
// probability of a bare legal move, a mean over the sets: what is missing to 1 are longer texts and texts that are no move.
func (w turns) Measure(ctx context.Context, t environment.Table) (map[string]float64, error) {
	sets := w.sets()
	var at []environment.Situation
	for _, x := range sets {
		said := map[string][]string{}
		for i, move := range x.moves {
			mover := w.agents[w.at(x.deal, x.moves[:i]).mover]
			said[mover] = append(said[mover], string(move))
		}
		at = append(at, environment.Situation{
			Problem: task.Problem{ID: "set-" + x.deal + "-" + x.moves, Question: x.deal},
			Agent:   w.agents[x.mover], Said: said, Texts: strings.Split(x.legal, ""),
		})
	}
	logprobs, err := t.Logprobs(ctx, at)
	if err != nil {
		return nil, err
	}
	p, moves := policy{}, 0.0
	for i, x := range sets {
		chances, most := make([]float64, len(x.legal)), slices.Max(logprobs[i]) // what is as good as impossible has shares too
		for k, lp := range logprobs[i] {
			chances[k] = math.Exp(lp - most)
			moves += math.Exp(lp) / float64(len(sets))
		}
		p[x.set()] = shares(chances)
	}
	out := w.measure(w.rules, p)
	out["moves"] = moves
	return out, nil
}

// shares are numbers as shares of their sum; all alike where that is 0.
func shares(list []float64) []float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	out := make([]float64, len(list))
	for i, x := range list {
		if out[i] = 1 / float64(len(list)); sum > 0 {
			out[i] = x / sum
		}
	}
	return out
}

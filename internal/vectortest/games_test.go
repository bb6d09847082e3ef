package vectortest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/task"
	"parley/task/environment"
	"parley/task/environment/games"
)

// A gameTable answers by a rule from what an agent observes in a situation, which it gets to through the game's world.
type gameTable struct {
	environment.Table
	t      *testing.T
	world  environment.Environment
	agents []string
	weigh  weight
	sets   map[string]bool

	together bool // both move at once
}

// legalMass is the probability of all legal moves together.
const legalMass = 1e-3

// Logprobs implements [environment.Table].
func (g gameTable) Logprobs(_ context.Context, at []environment.Situation) (out [][]float64, err error) {
	for _, s := range at {
		agent, seen := slices.Index(g.agents, s.Agent), g.reach(s).Observations[s.Agent]
		if set := s.Agent + " " + seen; g.sets[set] {
			g.t.Errorf("asked twice about %s", set)
		} else {
			g.sets[set] = true
		}
		var weights []float64
		sum := 0.0
		for _, text := range s.Texts {
			move, err := strconv.Atoi(text)
			if err != nil {
				g.t.Fatal(err)
			}
			weights = append(weights, g.weigh(agent, seen, move))
			sum += weights[len(weights)-1]
		}
		for i, w := range weights {
			weights[i] = math.Log(legalMass * w / sum)
		}
		out = append(out, weights)
	}
	return out, nil
}

// reach is where a situation is: each says the next of its texts where it is its turn. Those who move at once do while both have one.
func (g gameTable) reach(s environment.Situation) environment.Outcome {
	o, err := g.world.Reset(g.t.Context(), s.Problem)
	if err != nil {
		g.t.Fatal(err)
	}
	spoken := map[string]int{}
	for tried := 0; tried < len(g.agents); tried++ {
		said := map[string]string{}
		for i, name := range g.agents {
			if list := s.Said[name]; spoken[name] < len(list) && (g.together || i == tried) {
				said[name] = list[spoken[name]]
			}
		}
		next, err := g.world.Step(g.t.Context(), o.State, said)
		if err != nil || next.Done {
			g.t.Fatalf("%+v: %q, over %v, %v", s, said, next.Done, err)
		}
		if string(next.State) == string(o.State) || g.together && len(said) < len(g.agents) {
			continue
		}
		for name := range said {
			spoken[name]++
		}
		o, tried = next, -1
	}
	return o
}

// A weight is how much a move is worth to a player, 0 or 1, at what it observes, beside the other legal ones.
type weight func(player int, seen string, move int) float64

// measured is what a game says of a policy, and how many information sets it asks about.
func measured(t *testing.T, g environment.Game, weigh weight) (numbers map[string]float64, sets int) {
	t.Helper()
	agents := []string{"a", "b"}
	x := gameTable{t: t, world: g.Open(agents), agents: agents, together: strings.HasPrefix(g.Name, "matrix"), weigh: weigh, sets: map[string]bool{}}
	numbers, err := x.world.(interface {
		Measure(ctx context.Context, t environment.Table) (map[string]float64, error)
	}).Measure(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return numbers, len(x.sets)
}

// gameNumbers compares what a game measures with what it should be; another number is an error.
func gameNumbers(t *testing.T, id string, got, want map[string]float64) {
	t.Helper()
	want["moves"] = legalMass
	for key, value := range got {
		if w, known := want[key]; !known || !Close(value, w, 1e-9) {
			t.Errorf("%s: %s is %v, want %v", id, key, value, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", id, got, want)
	}
}

// gameVectors are the vectors of one game.
func gameVectors[T any](t *testing.T, name string) (out T) {
	t.Helper()
	data, err := contents("games.json")
	var all map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err == nil {
		err = json.Unmarshal(all[name], &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// leducVectors are those of Leduc poker.
type leducVectors struct {
	Sets     int
	Deals    [][2]json.RawMessage
	Policies []struct {
		ID             string
		FirstPlayer    float64 `json:"first_player"`
		Exploitability float64
		BestFirst      float64 `json:"best_first"`
		BestSecond     float64 `json:"best_second"`
	}
	Plays []leducPlay
}

type leducPlay struct {
	Deal      [3]int
	Moves     string
	Over      bool
	Round     int
	Paid      [2]float64
	Mover     string
	Legal     []int
	GainFirst float64 `json:"gain_first"`
	Seen      struct {
		Card, Public int
		Moves        string
	}
}

// leducRules are the policies of the vectors.
var leducRules = map[string]func(card, public, said, move int) float64{
	"uniform": func(_, _, _, _ int) float64 { return 1 },
	"raise":   func(_, _, _, move int) float64 { return []float64{0, 1e-300, 1}[move] },
	"fold":    func(_, _, _, move int) float64 { return []float64{1, 1e-300, 0}[move] },
	"mixed-5": func(card, public, said, move int) float64 { return float64(1 + (7*card+5*public+said+3*move)%5) },
	"mixed-7": func(card, public, said, move int) float64 {
		return 0.25 + float64((3*card+4*public+2*said+5*move)%7)
	},
}

func TestVectorsLeduc(t *testing.T) {
	v := gameVectors[leducVectors](t, "leduc")
	for _, p := range v.Policies {
		rule, known := leducRules[p.ID]
		if !known {
			t.Errorf("policy %s has no rule here", p.ID)
			continue
		}
		got, sets := measured(t, games.Leduc(), func(_ int, seen string, move int) float64 {
			words := map[string]string{}
			fields := strings.Fields(seen)
			for i := 0; i+1 < len(fields); i += 2 {
				words[fields[i]] = fields[i+1]
			}
			card, _ := strconv.Atoi(words["card"])
			public, _ := strconv.Atoi(words["public"])
			said := 0
			for i, m := range words["moves"] {
				said += (i + 1) * int(m-'0'+1)
			}
			return rule(card, public, said, move)
		})
		if sets != v.Sets || !Close((p.BestFirst+p.BestSecond)/2, p.Exploitability, 1e-9) {
			t.Errorf("%d sets, want %d; %+v", sets, v.Sets, p)
		}
		gameNumbers(t, p.ID, got, map[string]float64{"exploitability": p.Exploitability, "first_player": p.FirstPlayer})
	}
	for _, p := range v.Plays {
		t.Run(fmt.Sprint(p.Deal, p.Moves), func(t *testing.T) { leducPlayed(t, p) })
	}
	deals := map[string]int{}
	_, held := games.Leduc().Problems()
	for _, p := range held {
		deals[p.Question]++
	}
	for _, d := range v.Deals {
		var ranks [3]int
		var times int
		if json.Unmarshal(d[0], &ranks) != nil || json.Unmarshal(d[1], &times) != nil || deals[fmt.Sprint(ranks[0])+fmt.Sprint(ranks[1])+fmt.Sprint(ranks[2])] != 10*times {
			t.Errorf("deal %s %s: %v", d[0], d[1], deals)
		}
	}
}

// leducPlayed plays moves, and tries all of the next.
func leducPlayed(t *testing.T, p leducPlay) {
	names := []string{"first", "second"}
	w := games.Leduc().Open(names)
	step := func(state json.RawMessage, name string, move int) environment.Outcome {
		o, err := w.Step(t.Context(), state, map[string]string{name: fmt.Sprint("I say ", move)})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o, err := w.Reset(t.Context(), task.Problem{Question: fmt.Sprint(p.Deal[0]) + fmt.Sprint(p.Deal[1]) + fmt.Sprint(p.Deal[2])})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Moves {
		before := o
		for _, name := range names { // who is not to move says nothing
			if o = step(before.State, name, int(m-'0')); string(o.State) != string(before.State) {
				break
			}
		}
	}
	if o.Done != p.Over || p.Over && (o.Agents["first"] != p.GainFirst || o.Agents["second"] != -p.GainFirst) {
		t.Errorf("%+v", o)
	}
	if p.Over {
		return
	}
	seen := fmt.Sprint("card ", p.Seen.Card)
	if p.Seen.Public > 0 {
		seen += fmt.Sprint(" public ", p.Seen.Public)
	}
	if p.Seen.Moves != "" {
		seen += " moves " + p.Seen.Moves
	}
	if (p.Round == 2) != (p.Seen.Public > 0) || o.Observations[p.Mover] != seen {
		t.Errorf("%s observes %q, want %q", p.Mover, o.Observations[p.Mover], seen)
	}
	mover := slices.Index(names, p.Mover)
	for move := range 3 {
		next := step(o.State, p.Mover, move)
		illegal := len(environment.IllegalIn(next.Info)) > 0
		if illegal == slices.Contains(p.Legal, move) || illegal && !maps.Equal(next.Agents, map[string]float64{p.Mover: -13}) {
			t.Errorf("move %d: %+v", move, next)
		}
		if !illegal && move == 0 && next.Agents[p.Mover] != -p.Paid[mover] {
			t.Errorf("a fold costs %v, want %v", next.Agents[p.Mover], p.Paid)
		}
		if !illegal && move == 2 { // the other folds: it has paid as before
			if after := step(next.State, names[1-mover], 0); after.Agents[p.Mover] != p.Paid[1-mover] {
				t.Errorf("a fold after a raise pays %v, want %v", after.Agents[p.Mover], p.Paid)
			}
		}
	}
}

func TestVectorsTinyHanabi(t *testing.T) {
	v := gameVectors[struct {
		Policies []struct {
			ID     string
			First  [2][3]float64
			Second [2][3][3]float64
			Return float64
			Signal float64 `json:"signal_bits"`
		}
		Payoff [2][2][3][3]float64
	}](t, "tiny_hanabi")
	g := games.TinyHanabi()
	for _, p := range v.Policies {
		got, sets := measured(t, g, func(player int, seen string, move int) float64 {
			var card, signal int
			if n, _ := fmt.Sscanf(seen, "card %d move %d", &card, &signal); n != 1+player {
				t.Fatalf("player %d observes %q", player, seen)
			}
			if player == 0 {
				return p.First[card-1][move-1]
			}
			return p.Second[card-1][signal-1][move-1]
		})
		if sets != 8 {
			t.Errorf("%d information sets", sets)
		}
		gameNumbers(t, p.ID, got, map[string]float64{"return": p.Return, "signal": p.Signal})
	}
	w := g.Open([]string{"first", "second"})
	for at, want := range v.Payoff[0][1] { // of one deal, through the world
		for move, pays := range want {
			o, err := w.Reset(t.Context(), task.Problem{Question: "12"})
			for i, name := range []string{"first", "second"} {
				if err == nil {
					o, err = w.Step(t.Context(), o.State, map[string]string{name: fmt.Sprint([]int{at, move}[i] + 1)})
				}
			}
			if err != nil || !o.Done || o.Team != pays/10 || o.Agents != nil {
				t.Errorf("%d, %d: %+v, %v; want %v", at+1, move+1, o, err, pays)
			}
		}
	}
}

// matrixRules are the strategies of the vectors: the probability of a 1 after rounds, each one's own move and the other's.
var matrixRules = map[string]func(rounds [][2]int) float64{
	"zero":    func([][2]int) float64 { return 0 },
	"one":     func([][2]int) float64 { return 1 },
	"uniform": func([][2]int) float64 { return 0.5 },
	"tit-for-tat": func(rounds [][2]int) float64 {
		return matrixLast(rounds, 0, func(_, other int) float64 { return float64(other) })
	},
	"grim": func(rounds [][2]int) float64 {
		return matrixLast(rounds, 0, func(int, int) float64 {
			if slices.ContainsFunc(rounds, func(r [2]int) bool { return r[1] == 1 }) {
				return 1
			}
			return 0
		})
	},
	"win-stay": func(rounds [][2]int) float64 {
		return matrixLast(rounds, 0, func(own, other int) float64 { return float64(own ^ other) })
	},
	"soft": func(rounds [][2]int) float64 {
		return matrixLast(rounds, 0.1, func(_, other int) float64 { return []float64{0.2, 0.7}[other] })
	},
}

// matrixLast is a strategy that looks at the last round.
func matrixLast(rounds [][2]int, begin float64, after func(own, other int) float64) float64 {
	if len(rounds) == 0 {
		return begin
	}
	last := rounds[len(rounds)-1]
	return after(last[0], last[1])
}

func TestVectorsMatrixGames(t *testing.T) {
	v := gameVectors[struct {
		Rounds   int
		SetsEach int `json:"sets_each"`
		Games    map[string]struct {
			Row, Column [2][2]float64
			MostJoint   float64 `json:"most_joint"`
			Pairs       []struct {
				Row, Column string
				RowValue    float64 `json:"row_value"`
				ColumnValue float64 `json:"column_value"`
				Zeros       float64
				Regret      float64
			}
		}
	}](t, "matrix")
	for name, g := range v.Games {
		name, _, _ = strings.Cut("matrix-"+name, "-of-")
		i := slices.IndexFunc(games.All(), func(g environment.Game) bool { return g.Name == name })
		if i < 0 {
			t.Errorf("there is no game %s", name)
			continue
		}
		game := games.All()[i]
		for _, p := range g.Pairs {
			by := [2]func([][2]int) float64{matrixRules[p.Row], matrixRules[p.Column]}
			got, sets := measured(t, game, func(player int, seen string, move int) float64 {
				fields := strings.Fields(seen)
				var rounds [][2]int
				for _, f := range fields[2:] {
					rounds = append(rounds, [2]int{int(f[0] - '0'), int(f[2] - '0')})
				}
				if fields[1] != fmt.Sprint(len(rounds)+1) {
					t.Errorf("%q after %d rounds", seen, len(rounds))
				}
				one := by[player](rounds)
				return []float64{1 - one, one}[move]
			})
			if sets != 2*v.SetsEach {
				t.Errorf("%d information sets, want %d each", sets, v.SetsEach)
			}
			gameNumbers(t, fmt.Sprint(name, p), got, map[string]float64{
				"row": p.RowValue, "column": p.ColumnValue, "joint": (p.RowValue + p.ColumnValue) / g.MostJoint, "zeros": p.Zeros, "regret": p.Regret,
			})
		}
		matrixPlayed(t, game, v.Rounds, [2][2][2]float64{g.Row, g.Column})
	}
}

// matrixPlayed plays each cell in all rounds through the game's world, and ends with a text that is no move.
func matrixPlayed(t *testing.T, g environment.Game, rounds int, pays [2][2][2]float64) {
	t.Helper()
	w := g.Open([]string{"row", "column"})
	for cell := range 4 {
		row, column := cell/2, cell%2
		begin, err := w.Reset(t.Context(), task.Problem{Question: "start"})
		o := begin
		for round := range rounds {
			if err == nil {
				o, err = w.Step(t.Context(), o.State, map[string]string{"row": fmt.Sprint("I: ", row), "column": fmt.Sprint(column)})
			}
			want := map[string]float64{"row": pays[0][row][column] / float64(rounds), "column": pays[1][row][column] / float64(rounds)}
			if err != nil || o.Done != (round == rounds-1) || o.Agents["row"] != want["row"] || o.Agents["column"] != want["column"] {
				t.Errorf("%s: %+v, %v; want %v", g.Name, o, err, want)
			}
		}
		if o, err = w.Step(t.Context(), begin.State, map[string]string{"row": fmt.Sprint(row), "column": "what?"}); err != nil || !o.Done || o.Pays() {
			t.Errorf("%s: no move: %+v, %v", g.Name, o, err)
		}
	}
}

func TestVectorsDivide(t *testing.T) {
	v := gameVectors[struct {
		Instances int
		MeanBest  float64 `json:"mean_best"`
		Above     float64 `json:"share_best_above_10"`
		Cases     []struct {
			games.Estate
			Index  int
			Splits int
			Best   int
			Pareto [][2]int
			Nash   int

			Egalitarian int
			MeanJoint   float64 `json:"mean_joint"`
		}
	}](t, "divide")
	all := games.Estates()
	if len(all) != v.Instances {
		t.Fatalf("%d instances, want %d", len(all), v.Instances)
	}
	best, above := 0.0, 0.0
	for _, e := range all {
		n := e.Facts().Best
		best += float64(n) / float64(len(all))
		if n > 10 {
			above += 1 / float64(len(all))
		}
	}
	if !Close(best, v.MeanBest, 1e-9) || !Close(above, v.Above, 1e-9) {
		t.Errorf("the best is %v, above 10 in %v; want %v, %v", best, above, v.MeanBest, v.Above)
	}
	for _, c := range v.Cases {
		if all[c.Index] != c.Estate {
			t.Errorf("instance %d is %+v, want %+v", c.Index, all[c.Index], c.Estate)
		}
		got, want := c.Facts(), games.Facts{Best: c.Best, Nash: c.Nash, Egalitarian: c.Egalitarian, Pareto: c.Pareto}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("instance %d: %+v, want %+v", c.Index, got, want)
		}
		divideAll(t, c.Estate, c.Splits, c.MeanJoint)
	}
}

// divideAll makes every split of an instance through the game's world, once by each agent.
func divideAll(t *testing.T, e games.Estate, splits int, joint float64) {
	t.Helper()
	question, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	w, names := games.Divide().Open([]string{"a", "b"}), []string{"a", "b"}
	for offers, values := range []games.Kinds{e.First, e.Second} {
		n, sum := 0, 0.0
		for i := range (e.Counts[0] + 1) * (e.Counts[1] + 1) * (e.Counts[2] + 1) {
			takes := games.Kinds{i % (e.Counts[0] + 1), i / (e.Counts[0] + 1) % (e.Counts[1] + 1), i / ((e.Counts[0] + 1) * (e.Counts[1] + 1))}
			o, err := w.Reset(t.Context(), task.Problem{Question: string(question)})
			for turn := 0; turn < offers+2; turn++ {
				said := []string{"I may", fmt.Sprintf("my offer  %v!", takes), "I accept"}[min(turn+1-offers, 2)]
				if err == nil {
					o, err = w.Step(t.Context(), o.State, map[string]string{names[turn%2]: said})
				}
			}
			own := float64(takes[0]*values[0]+takes[1]*values[1]+takes[2]*values[2]) / 10
			if err != nil || !o.Done || !Close(o.Agents[names[offers]], own, 1e-12) || o.Team != 0 {
				t.Fatalf("%+v: %s takes %v and gets %+v, %v; want %v", e, names[offers], takes, o, err, own)
			}
			n, sum = n+1, sum+10*(o.Agents["a"]+o.Agents["b"])
		}
		if n != splits || !Close(sum/float64(n), joint, 1e-9) {
			t.Errorf("%+v: %d splits of %v, want %d of %v", e, n, sum/float64(n), splits, joint)
		}
	}
}

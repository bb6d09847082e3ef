package read_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"parley/internal/seed"
	"parley/systems/read"
	"parley/task"
	"parley/task/environment/games"
	"parley/team"
	"parley/team/speaker/external"
)

//go:embed sweep.star
var script string

// robots is a team of the world sweep, whose planner is the script.
func robots(t *testing.T, s uint64) *read.Team {
	t.Helper()
	planner, err := external.Open(external.Settings{Place: "sweep.star", Script: script})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"holder", "sweeper"}
	return &read.Team{
		World: games.Sweep().Open(names), Robots: names, Planner: planner, Pays: 3, Gamma: 0.9,
		Schedule: read.PerRobot, Tries: 10, Votes: 5, Seed: s,
	}
}

// starts are so many problems of sweep. Every second one begins beside the blocks with all of them there, the others anywhere, or none of them.
func starts(t *testing.T, n int, s uint64, anywhere bool) []task.Problem {
	t.Helper()
	random := seed.Stream(s)
	out := make([]task.Problem, n)
	for i := range out {
		table := games.SweepTable{Decoy: 4}
		for anywhere && i%2 == 1 {
			table.At, table.Gone = [2]int{random.IntN(5), random.IntN(5)}, nil
			for b := 1; b <= 4; b++ {
				if random.IntN(2) == 0 {
					table.Gone = append(table.Gone, b)
				}
			}
			if len(table.Left()) > 0 {
				break
			}
		}
		text, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = task.Problem{ID: fmt.Sprint(i), Question: string(text)}
	}
	return out
}

// TestOrder: a planner that is asked again until a critic agrees succeeds more often than one that votes, which succeeds more often than one that
// is asked once; a joint plan takes fewer queries than robot after robot, and a critic of more data fewer than one of less (ReAd, tabular).
func TestOrder(t *testing.T) {
	const critics, episodes, margin = 5, 60, 0.1
	mean := map[string]read.Result{}
	for s := range uint64(critics) {
		team, held := robots(t, s), starts(t, episodes, 0, false)
		measure := func(name string, how read.How, c read.Critic) {
			r, err := team.Measure(t.Context(), how, c, held)
			if err != nil {
				t.Fatal(err)
			}
			m := mean[name]
			mean[name] = read.Result{Success: m.Success + r.Success/critics, Steps: m.Steps + r.Steps/critics, Queries: m.Queries + r.Queries/critics}
		}
		measure("open", read.Open, nil)
		measure("vote", read.Vote, nil)
		for _, n := range []int{100, 1000} {
			data, cost, err := team.Gather(t.Context(), starts(t, n, s+1, true), 0, n)
			if err != nil {
				t.Fatal(err)
			}
			if cost.Episodes != n || cost.Queries != len(data) || cost.Steps != len(data) {
				t.Fatalf("gathering cost %+v for %d steps of %d episodes: a query a step", cost, len(data), n)
			}
			c := read.NewTable(data)
			measure(fmt.Sprint("S ", n), read.S, c)
			measure(fmt.Sprint("J ", n), read.J, c)
		}
	}
	for _, name := range []string{"open", "vote", "S 100", "J 100", "S 1000", "J 1000"} {
		t.Logf("%-7s SR %.2f  ES %.1f  NQ %.1f", name, mean[name].Success, mean[name].Steps, mean[name].Queries)
	}
	for _, c := range [][2]string{{"open", "vote"}, {"vote", "S 1000"}, {"vote", "J 1000"}} {
		if a, b := mean[c[0]].Success, mean[c[1]].Success; b < a+margin {
			t.Errorf("SR of %s is %.2f, of %s %.2f: want %.2f more", c[0], a, c[1], b, margin)
		}
	}
	for _, c := range [][2]string{{"J 1000", "S 1000"}, {"J 100", "S 100"}, {"S 1000", "S 100"}, {"J 1000", "J 100"}} {
		if a, b := mean[c[0]].Queries, mean[c[1]].Queries; a >= b {
			t.Errorf("NQ of %s is %.1f, of %s %.1f: want fewer", c[0], a, c[1], b)
		}
	}
}

// TestNetwork: fitted to prefixes with the missing robots masked, a network comes to know the means over what the missing ones did; the same seed
// gives the same network.
func TestNetwork(t *testing.T) {
	var data []read.Sample
	random := seed.Stream(7)
	for range 400 { // the second robot does 1 in three of four
		a, b := random.IntN(2), min(random.IntN(4), 1)
		data = append(data, read.Sample{State: "start", Actions: []string{fmt.Sprint(a), fmt.Sprint(b)}, Return: float64(a ^ b)})
	}
	settings := read.NetworkSettings{Hidden: 32, Rate: 0.01, Batch: 32, Steps: 3000, Seed: 1}
	n, err := read.NewNetwork(data, settings)
	if err != nil {
		t.Fatal(err)
	}
	table := read.NewTable(data)
	for _, actions := range [][]string{nil, {"0"}, {"1"}, {"0", "0"}, {"0", "1"}, {"1", "0"}, {"1", "1"}} {
		got, _ := n.Value("start", actions)
		want, known := table.Value("start", actions)
		if !known || math.Abs(got-want) > 0.06 {
			t.Errorf("value of %v: %.3f, want the mean %.3f", actions, got, want)
		}
	}
	again, err := read.NewNetwork(data, settings)
	if err != nil || fmt.Sprint(again.W2) != fmt.Sprint(n.W2) {
		t.Errorf("the same data and seed give another network (%v)", err)
	}
}

// A listener takes down what a planner is asked, and gives fixed answers.
type listener struct {
	mu      sync.Mutex
	heard   []team.SpeakerAsk
	answers []string
}

func (l *listener) Kind() string { return "listener" }

func (l *listener) Speak(_ context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]team.Reply, len(asks))
	for i, a := range asks {
		out[i].Text = l.answers[len(l.heard)%len(l.answers)]
		l.heard = append(l.heard, a)
	}
	return out, nil
}

// hopeless scores everything −∞.
type hopeless struct{}

func (hopeless) Value(_ string, actions []string) (float64, bool) {
	if len(actions) == 0 {
		return 0, true
	}
	return math.Inf(-1), true
}

// TestPrompts: robot i of ReAd-S is shown what the earlier ones do and no later action, its log is its own and of this step, and it is asked so many
// times at most, even if no score is ever above the threshold.
func TestPrompts(t *testing.T) {
	team := robots(t, 1)
	l := &listener{answers: []string{"3", "4"}}
	team.Planner, team.Tries = l, 2
	r, err := team.Measure(t.Context(), read.S, hopeless{}, starts(t, 1, 0, false))
	if err != nil || r.Success != 0 || r.Steps != games.SweepSteps || r.Queries != 4*games.SweepSteps {
		t.Fatalf("%+v, %v: want every robot asked twice in each of %d steps", r, err, games.SweepSteps)
	}
	for i, ask := range l.heard[:8] {
		text := ask.Messages[0].Content
		if second := i%2 == 1; strings.Contains(text, "tried") != second {
			t.Errorf("query %d: a log of tries is shown to whoever has tried in this step, and only then:\n%s", i+1, text)
		}
		if of := i%4 >= 2; strings.Contains(text, "holder does 3") != of || strings.Contains(text, "sweeper does") {
			t.Errorf("query %d: the second robot is shown what the first does, and nobody a later action:\n%s", i+1, text)
		}
	}
}

// TestReturns: discounted from every step on; the network refuses to be fitted to nothing, and plans are not refined without a critic.
func TestReturns(t *testing.T) {
	if got := read.Returns([]float64{0, 1, 2}, 0.5); fmt.Sprint(got) != "[1 2 2]" {
		t.Errorf("returns %v", got)
	}
	if _, err := read.NewNetwork(nil, read.NetworkSettings{Hidden: 1, Batch: 1, Rate: 1}); err == nil {
		t.Error("a critic of no data")
	}
	if _, err := robots(t, 1).Measure(t.Context(), read.J, nil, starts(t, 1, 0, false)); err == nil {
		t.Error("ReAd-J without a critic")
	}
}

package actorcritic

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/learn"
	"parley/rl/rollout"
)

// dialogue is a path of nodes with these rewards, at which these agents spoke.
func dialogue(rewards []float64, speakers ...[]int) *rollout.Episode {
	e := new(rollout.Episode)
	for t, r := range rewards {
		n := &rollout.Node{Turn: t, Parent: t - 1, Rewards: []float64{r}, Joint: [][]int{make([]int, len(speakers[t]))}}
		for _, a := range speakers[t] {
			n.Agents = append(n.Agents, rollout.AgentTurn{Agent: a, Policy: "policy", Completions: make([]rollout.Completion, 1)})
		}
		e.Nodes = append(e.Nodes, n)
	}
	return e
}

// failer is what estimated needs of *testing.T and *rapid.T.
type failer interface{ Fatal(...any) }

// A seen step is one as tests compare it.
type seen struct {
	agent, turn   int
	target, delta float64
	reward        float64
	leads         bool
}

// estimated are the steps of a dialogue whose turns, from 0, have the values 1, 2, 3, ..., with discount 1/2.
func estimated(t failer, e *rollout.Episode, central bool) []seen {
	steps, err := stepsIn(e, central, learn.Config{}.WeightsOf)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range steps {
		x.value = float64(x.Turn + 1)
	}
	var out []seen
	for _, x := range steps {
		x.estimate(0.5)
		out = append(out, seen{x.AgentTurn.Agent, x.Turn, x.target, x.delta, x.Completion.Reward, x.leads})
	}
	return out
}

// TestSilentAgents: a critic of an agent's own is asked where the agent speaks; the rewards of the turns between are the agent's as well. A
// central critic is asked in every turn. By hand.
func TestSilentAgents(t *testing.T) {
	pipeline := dialogue([]float64{0, 0, 8}, []int{0}, []int{1}, []int{2})
	leader := dialogue([]float64{0, 2, 4, 8}, []int{1, 2}, []int{0}, []int{1, 2}, []int{0})
	for _, c := range []struct {
		name    string
		episode *rollout.Episode
		central bool
		want    []seen
	}{
		{"pipeline, own critics", pipeline, false, []seen{{0, 0, 2, 1, 2, true}, {1, 1, 4, 2, 4, true}, {2, 2, 8, 5, 8, true}}},
		{"pipeline, central critic", pipeline, true, []seen{{0, 0, 1, 0, 0, true}, {1, 1, 1.5, -0.5, 0, true}, {2, 2, 8, 5, 8, true}}},
		{"leader, own critics", leader, false, []seen{
			{0, 1, 2 + 2 + 1, 3, 4, true},
			{0, 3, 8, 4, 8, true}, // 2, then 4/2 while it listens, then a quarter of the value 4
			{1, 0, 0 + 1 + 0.75, 0.75, 1, true},
			{1, 2, 4 + 4, 5, 8, true},
			{2, 0, 0 + 1 + 0.75, 0.75, 1, false},
			{2, 2, 4 + 4, 5, 8, false},
		}},
		{"leader, central critic", leader, true, []seen{
			{0, 1, 2 + 1.5, 1.5, 2, true}, {0, 3, 8, 4, 8, true}, {1, 0, 1, 0, 0, true}, {1, 2, 4 + 2, 3, 4, true}, {2, 0, 1, 0, 0, false}, {2, 2, 4 + 2, 3, 4, false},
		}},
	} {
		if got := estimated(t, c.episode, c.central); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAllSpeak: where all agents speak in every turn, both kinds of critics have r_t + γ·V_{t+1} as the target of every agent, and r at the
// last turn (MAGRPO §5).
func TestAllSpeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rewards := rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 5).Draw(t, "rewards")
		everybody := []int{0, 1, 2}[:rapid.IntRange(1, 3).Draw(t, "agents")]
		e := dialogue(rewards, slices.Repeat([][]int{everybody}, len(rewards))...)
		var want []seen
		for _, agent := range everybody {
			for turn, r := range rewards {
				target := r
				if turn+1 < len(rewards) {
					target += 0.5 * float64(turn+2)
				}
				want = append(want, seen{agent, turn, target, target - float64(turn+1), r, agent == 0})
			}
		}
		for _, central := range []bool{false, true} {
			if got := estimated(t, e, central); !reflect.DeepEqual(got, want) {
				t.Fatalf("central %v: %v, want %v", central, got, want)
			}
		}
	})
}

// TestOwnRewards: an agent's own rewards enter its targets with its weights, those that it gets while others speak too. By hand, with discount 1/2
// and no values.
func TestOwnRewards(t *testing.T) {
	e := dialogue([]float64{1, 0, 2}, []int{0}, []int{1}, []int{0})
	for i, own := range [][]float64{{2, 0}, {4, 1}, {0, 4}} {
		e.Nodes[i].Own = [][]float64{own}
	}
	weights := learn.Config{Weights: []learn.RewardWeights{{Team: 1, Own: 0.5}, {Own: 2}}}
	steps, err := stepsIn(e, false, weights.WeightsOf)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{2 + 2*0.5, 2, 2 + 8*0.5} // the first agent's two answers, then the second's
	for i, x := range steps {
		if x.estimate(0.5); x.target != want[i] {
			t.Errorf("agent %d, turn %d: target %v, want %v", x.AgentTurn.Agent+1, x.Turn+1, x.target, want[i])
		}
	}
}

// TestEpisodes: a critic follows each episode of a problem by itself, and those that failed are left out.
func TestEpisodes(t *testing.T) {
	first, second := dialogue([]float64{0, 8}, []int{0}, []int{1}), dialogue([]float64{0, 0, 4}, []int{0}, []int{1}, []int{0})
	both := new(rollout.Episode)
	for sample, e := range []*rollout.Episode{first, dialogue([]float64{0}, []int{0}), second} {
		for _, n := range e.Nodes {
			n.Sample = sample
			both.Nodes = append(both.Nodes, n)
		}
	}
	both.Nodes[2].Failed = "its program hung"
	both.Refused = map[int]string{3: "it asked no agent"}
	for _, central := range []bool{false, true} {
		want := slices.Concat(estimated(t, first, central), estimated(t, dialogue([]float64{0, 0, 4}, []int{0}, []int{1}, []int{0}), central))
		if got := estimated(t, both, central); !reflect.DeepEqual(got, want) {
			t.Errorf("central %v: %v, want %v", central, got, want)
		}
	}
}

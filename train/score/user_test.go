package score

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/rl/reward"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/user"
)

// TestUserRewards: every joint action gets its own reward, processed; one without a reward fails its node and no other.
func TestUserRewards(t *testing.T) {
	r := lang.Defaults()
	r.Reward.Source, r.Reward.User.Max, r.Reward.User.Min = "user", 10, -10
	own, err := user.Open(t.Context(), user.Settings{Expression: `len(responses[0]) - 2 * len(responses[1]) if responses[0] != "?" else responses[2]`, Least: -10, Most: 10, Deadline: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := &Scorer{recipe: r, user: own, process: reward.Chain{reward.Scale(10)}}
	nodes := turn([2]string{"aaaa", "b"}, [2]string{"?", "b"}, [2]string{"a", "bb"})
	for _, n := range nodes {
		for a := range n.Node.Agents {
			c := &n.Node.Agents[a].Completions
			*c = append(*c, rollout.Completion{Text: "longer"})
		}
		n.Node.Joint = [][]int{{0, 0}, {0, 1}}
	}
	if err := s.askUser(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "index 2 out of range", "outside of the declared range [-10, 10]"} {
		n := nodes[i].Node
		if want == "" {
			if n.Failed != "" || n.Rewards[0] != 20 || n.Rewards[1] != -80 || n.Scored[0].Reward != 2 {
				t.Errorf("node %d: %q, rewards %v", i, n.Failed, n.Rewards)
			}
		} else if !strings.Contains(n.Failed, want) || n.Rewards != nil || n.Scored != nil {
			t.Errorf("node %d: %q, rewards %v, want %q", i, n.Failed, n.Rewards, want)
		}
	}
	if least, most := s.Range(); least != -10 || most != 10 {
		t.Errorf("range [%v, %v]", least, most)
	}
}

// TestProbePaysAgents: what would fail every episode of a run is known before it.
func TestProbePaysAgents(t *testing.T) {
	for agents, want := range map[string]string{
		`{"agent2": 0.5}`: "",
		`{"agent3": 0.5}`: `"agents" pays "agent3", who is not in the team: its agents are agent1, agent2`,
		`[0.25]`:          `"agents" has 1 rewards, expected one for each of 2 agents`,
	} {
		r := lang.Defaults()
		r.Reward.Source, r.Eval.Baselines = "user", []string{"single"}
		own, err := user.Open(t.Context(), user.Settings{Expression: `{"reward": 0.5, "agents": ` + agents + `} if len(responses) == 2 else 0.5`, Least: 0, Most: 1, Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		s := &Scorer{recipe: r, user: own}
		err = s.Probe(t.Context(), task.Problem{ID: "p", Truth: "1"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", agents, err, want)
		}
	}
}

// TestUserPaysAgents: a reward may pay single agents beside the team, by name or in agent order. Who is not named is paid nothing; who is not
// in the team, another number of agents, what is no number and what is out of range fail the node.
func TestUserPaysAgents(t *testing.T) {
	r := lang.Defaults()
	r.Reward.Source = "user"
	for _, c := range []struct {
		agents, failed string
		want           [][]float64
	}{
		{`{"agent2": 0.5}`, "", [][]float64{{0, 0.5}}},
		{`[0.25, True]`, "", [][]float64{{0.25, 1}}},
		{`None`, "", nil},
		{`{}`, "", [][]float64{{0, 0}}},
		{`{"agent3": 0.5}`, `"agents" pays "agent3", who is not in the team: its agents are agent1, agent2`, nil},
		{`[0.25]`, `"agents" has 1 rewards, expected one for each of 2 agents`, nil},
		{`[]`, `"agents" has 0 rewards, expected one for each of 2 agents`, nil},
		{`{"agent1": "much"}`, `the reward of agent "agent1" is "much", expected a number`, nil},
		{`[0, None]`, `reward 2 of "agents" is null, expected a number`, nil},
		{`0.5`, `"agents" is 0.5, expected a number for each agent`, nil},
		{`{"agent1": 1.5}`, `the reward of agent "agent1" is 1.5, outside of the declared range [0, 1]`, nil},
		{`[0, -1]`, `the reward of agent 2 is -1, outside of the declared range [0, 1]`, nil},
	} {
		own, err := user.Open(t.Context(), user.Settings{Expression: `{"reward": 0.5, "agents": ` + c.agents + `}`, Least: 0, Most: 1, Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		s := &Scorer{recipe: r, user: own, process: reward.Chain{reward.Scale(10)}}
		nodes := turn([2]string{"a", "b"})
		if err := s.askUser(t.Context(), nodes); err != nil {
			t.Fatal(err)
		}
		n := nodes[0].Node
		if c.failed == "" && (n.Failed != "" || n.Rewards[0] != 5) || !strings.HasPrefix(n.Failed, c.failed) || !reflect.DeepEqual(n.Own, c.want) {
			t.Errorf("agents %s: failed %q, rewards %v, own %v; want %q, %v", c.agents, n.Failed, n.Rewards, n.Own, c.failed, c.want)
		}
	}
}

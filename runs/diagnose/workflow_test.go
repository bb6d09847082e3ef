package diagnose_test

import (
	"math"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
	"parley/runs/diagnose"
	"parley/task"
)

// errand are problems of an update of a workflow: in each of four whole episodes a writer, a critic and the writer again speak, one at a time, and
// only the end is paid. Returns are discounted.
func errand(update int, reward func(sample int) float64) []*rollout.Episode {
	var out []*rollout.Episode
	for i := range 8 {
		e := &rollout.Episode{Update: update, Index: i, Problem: task.Problem{ID: "p"}}
		for sample := range 4 {
			for turn, agent := range []int{0, 1, 0} {
				n := &rollout.Node{Turn: turn, Parent: -1, ParentAction: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{0}}
				if turn > 0 {
					n.Parent, n.ParentAction = len(e.Nodes)-1, 0
				}
				if turn == 2 {
					n.Rewards[0] = reward(sample)
				}
				returned := reward(sample) * math.Pow(0.9, float64(2-turn))
				said := rollout.Completion{Tokens: make([]int, 4), Text: "text", Stop: "eos", Reward: returned}
				n.Agents = []rollout.AgentTurn{{Agent: agent, Policy: engine.Policy("policy"), Completions: []rollout.Completion{said}}}
				e.Nodes = append(e.Nodes, n)
			}
		}
		out = append(out, e)
	}
	return out
}

// TestWorkflows: a reward that is the same whatever is said is found under any discount, by the groups and by the window. Shares of tokens are of all
// agents, who speak one at a time, and turns of a workflow are not compared: only its end is paid.
func TestWorkflows(t *testing.T) {
	for name, c := range map[string]struct {
		reward func(int) float64
		steps  bool
		want   string
	}{
		"constant": {func(int) float64 { return 0.7 }, true, "dead_groups constant_reward"},
		"varied":   {func(sample int) float64 { return float64(sample%2) / 2 }, true, ""},
		"answers":  {func(sample int) float64 { return float64(sample%2) - 1 }, false, "turn2:drop turn3:drop"},
	} {
		w := &diagnose.Watch{Settings: diagnose.Settings{Groups: true, Steps: c.steps, Raw: diagnose.Range{Most: 1}, Processed: diagnose.Range{Most: 1}}}
		for u := 1; u <= 10; u++ {
			episodes := errand(u, c.reward)
			w.See(u, episodes)
			w.Observe(diagnose.HealthOf(u, episodes, diagnose.Numbers{Steps: 1}))
		}
		var fired []string
		d := w.Result(10)
		for _, x := range d.Diagnostics {
			if x.Kind == "constant_reward" {
				fired = append(fired, x.Kind)
			} else {
				fired = append(fired, x.Rule)
			}
		}
		if c.steps && strings.Join(fired, " ") != c.want {
			t.Errorf("%s: %q fired, want %q", name, fired, c.want)
		}
		shares, turns := map[int]float64{}, false
		for _, r := range d.Checked {
			if r.Rule == "token_share" {
				shares[r.Agent] = r.Value
			}
			turns = turns || strings.HasPrefix(r.Rule, "turn")
		}
		if len(shares) != 2 || math.Abs(shares[1]-2./3) > 1e-12 || math.Abs(shares[2]-1./3) > 1e-12 {
			t.Errorf("%s: shares of tokens %v, want 2/3 and 1/3", name, shares)
		}
		if turns == c.steps {
			t.Errorf("%s: turns are compared: %v", name, turns)
		}
	}
}

// TestSharesBesideAScript: where an agent is no model, nobody has a share of tokens.
func TestSharesBesideAScript(t *testing.T) {
	w := &diagnose.Watch{Settings: diagnose.Settings{Groups: true, Steps: true, Unequal: true, Processed: diagnose.Range{Most: 1}}}
	for u := 1; u <= 3; u++ {
		episodes := errand(u, func(sample int) float64 { return float64(sample) })
		for _, e := range episodes {
			for _, n := range e.Nodes {
				if n.Agents[0].Agent == 1 {
					n.Agents[0].Speaker, n.Agents[0].Policy = "script", engine.Base
				}
			}
		}
		w.See(u, episodes)
	}
	d := w.Result(3)
	for _, r := range d.Checked {
		if r.Rule == "token_share" {
			t.Errorf("%+v", r)
		}
	}
	for _, u := range d.Unchecked {
		if u.Rule == "token_share" {
			return
		}
	}
	t.Errorf("nothing says why shares of tokens are not checked: %+v", d.Unchecked)
}

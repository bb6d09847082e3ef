package diagnose

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/rl/loss"
	"parley/rl/rollout"
	"parley/runs/store"
	"parley/task"
)

// pull is a step in which the first agent has a gradient of 9, and the second this one.
func pull(x, y float64) loss.Mass {
	return loss.MassOf([]loss.RoleGradient{{Name: "planner", Gradient: []float64{9, 0}}, {Name: "coder", Gradient: []float64{x, y}}})
}

// weighing is a watch over updates in which agents gave a step to a policy that they share; nil: none is shared.
func weighing(updates int, shared map[string]loss.Mass) (w *Watch, first []store.Diagnostic) {
	w = &Watch{Settings: Settings{Names: []string{"planner", "coder"}}}
	e := &rollout.Episode{Problem: task.Problem{ID: "p"}}
	for range 7 {
		e.Nodes = append(e.Nodes, &rollout.Node{Agents: []rollout.AgentTurn{{Policy: "policy", Completions: []rollout.Completion{{Tokens: []int{1}, Advantage: float64(len(e.Nodes))}}}}})
	}
	for update := range updates {
		first = append(first, w.Weigh(update+1, []*rollout.Episode{e}, shared, map[string]float64{"planner": 9, "coder": 1})...)
	}
	return w, first
}

func named(list []store.Diagnostic) (out []string) {
	for _, d := range list {
		out = append(out, d.Rule+" "+d.Name)
	}
	return out
}

// TestRoles: what is said of agents who share a policy, after 20 measured updates; of policies of their own nothing.
func TestRoles(t *testing.T) {
	for name, c := range map[string]struct {
		updates int
		shared  map[string]loss.Mass
		want    []string
	}{
		"against":           {20, map[string]loss.Mass{"policy": pull(-1, 1)}, []string{"capture planner"}},
		"along":             {20, map[string]loss.Mass{"policy": pull(1, 0)}, []string{"dominance planner"}},
		"next to nothing":   {20, map[string]loss.Mass{"policy": pull(0.1, 0)}, []string{"dominance planner", "starved coder"}},
		"even":              {20, map[string]loss.Mass{"policy": pull(-9, 1)}, nil},
		"too early":         {19, map[string]loss.Mass{"policy": pull(-1, 1)}, nil},
		"isolated":          {30, nil, nil},
		"one of two turns":  {20, map[string]loss.Mass{"policy-turn1": pull(-9, 1), "policy-turn2": pull(-1, 1)}, []string{"capture@policy-turn2 planner"}},
		"alone in a policy": {20, map[string]loss.Mass{"policy": loss.MassOf([]loss.RoleGradient{{Name: "planner", Gradient: []float64{1}}})}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, first := weighing(c.updates, c.shared)
			if got := named(first); !slices.Equal(got, c.want) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			d := w.Result(c.updates)
			for _, f := range d.Diagnostics {
				if f.Remedy == "" || f.Last != c.updates || !strings.Contains(f.String(), "mean share of the gradient") {
					t.Errorf("%v", f)
				}
				if e := f.Evidence; f.Name == "planner" && (len(e) != mostEvidence || e[0].Node != 6 || e[0].Name != "planner") {
					t.Errorf("evidence %v", e)
				}
			}
			unchecked := slices.ContainsFunc(d.Unchecked, func(u store.Unchecked) bool { return u.Rule == "capture" })
			if unchecked != (c.shared == nil) {
				t.Errorf("unchecked %v", d.Unchecked)
			}
		})
	}
}

// TestCaptureIsNoDominance: the rule that does not apply says so.
func TestCaptureIsNoDominance(t *testing.T) {
	w, _ := weighing(20, map[string]loss.Mass{"policy": pull(-1, 1)})
	for _, r := range w.Result(20).Checked {
		if r.Name == "planner" && (r.Rule == "dominance") != r.Moot && r.Rule != "spike" && r.Rule != "starved" {
			t.Errorf("%v", r)
		}
	}
}

// TestSpike: a gradient ten times as long as the last ones is told of any run, of agents and of policies whose agents are not told apart.
func TestSpike(t *testing.T) {
	for name, want := range map[string]string{"coder": "spike coder", "policy-turn1": "spike@policy-turn1 "} {
		w := &Watch{Settings: Settings{Names: []string{"planner", "coder"}}}
		for update := range 9 {
			norm := 1.0
			if update == 3 || update == 7 { // the first comes before five others
				norm = 10
			}
			got := named(w.Weigh(update+1, nil, nil, map[string]float64{name: norm}))
			if update == 7 && !slices.Equal(got, []string{want}) || update != 7 && got != nil {
				t.Errorf("%s, update %d: %v", name, update+1, got)
			}
		}
	}
}

// TestRolesResume: what a watch remembers of roles is the same after it was written and read.
func TestRolesResume(t *testing.T) {
	step := pull(0, 0)
	slices.Reverse(step.Parts) // by name
	w, _ := weighing(21, map[string]loss.Mass{"policy": step})
	text, err := json.Marshal(w.State)
	if err != nil {
		t.Fatal(err)
	}
	var got State
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Roles) != fmt.Sprint(w.Roles) || len(got.Roles.Norms) != 21 || len(got.Roles.Shared["policy"]) != 20 {
		t.Errorf("read %v, written %v", got.Roles, w.Roles)
	}
}

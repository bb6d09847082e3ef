package learn_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
	"parley/rl/tabular"

	"pgregory.net/rapid"
)

// A looked engine keeps the gradients that it was asked for, and those of the step.
type looked struct {
	*tabular.Tabular
	roles [][]float64
	step  []float64
}

func (l *looked) GradientOf(ctx context.Context, data []engine.Datum, loss engine.Loss) ([]float64, error) {
	g, err := l.Tabular.GradientOf(ctx, data, loss)
	l.roles = append(l.roles, slices.Clone(g))
	return g, err
}

func (l *looked) Step(_ context.Context, p engine.Policy, _ engine.Adam) (info engine.StepInfo, err error) {
	l.step, err = l.Gradient(p)
	for _, g := range l.step {
		info.GradNorm += g * g
	}
	info.GradNorm = math.Sqrt(info.GradNorm)
	return info, err
}

// team is a learner's base over an engine, with agents who share a policy or not.
func team(e engine.Engine, agents int, sharing string, every int) *learn.Common {
	actors, bases := make([]rollout.Actor, agents), make([]int, agents)
	for i := range actors {
		actors[i].Engine = e
	}
	return &learn.Common{Config: learn.Config{
		Actors: actors, Sharing: learn.Sharing{Policies: learn.Policies{Sharing: sharing, FirstTrainedTurn: 1}, Bases: bases}, Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		RoleGradients: every, Updates: 10, Turns: 1, Optimizer: learn.Optimizer{LR: 0.1},
	}}
}

// TestRoleGradients: the gradients of roles add up to that of the step, component by component, and the loss mass of each is
// tokens·|factor·A|.
func TestRoleGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const actions = 4
		e := &looked{Tabular: tabular.NewTabular(actions)}
		if err := e.NewPolicy(context.Background(), "policy", engine.PolicySpec{}); err != nil {
			t.Fatal(err)
		}
		agents := rapid.IntRange(2, 4).Draw(t, "agents")
		c := team(e, agents, "shared", 1)
		b := learn.PolicyBatch{To: learn.PolicyRef{Engine: e, Policy: "policy"}}
		var weights []float64
		masses, total := make([]float64, agents), 0.0
		for i := range rapid.IntRange(agents, 12).Draw(t, "messages") {
			agent := i
			if i >= agents {
				agent = rapid.IntRange(0, agents-1).Draw(t, "agent")
			}
			w := float64(float32(rapid.Float64Range(-2, 2).Draw(t, "weight")))
			n := rapid.IntRange(1, 3).Draw(t, "tokens")
			d := engine.Datum{Policy: "policy", Tokens: []int{0}, ScoreFrom: 1}
			for range n {
				d.Tokens = append(d.Tokens, rapid.IntRange(0, actions-1).Draw(t, "token"))
			}
			b.Add(d, agent)
			weights = append(weights, w)
			masses[agent] += float64(n) * math.Abs(w)
			total += float64(n) * math.Abs(w)
		}
		b.Loss = loss.SequenceWeights(weights)
		s := new(learn.Stats)
		if err := c.Accumulate(context.Background(), []learn.PolicyBatch{b}, s); err != nil {
			t.Fatal(err)
		}
		if err := c.Step(context.Background(), b.To, 0, 0.1, s); err != nil {
			t.Fatal(err)
		}
		for i, want := range e.step {
			sum := 0.0
			for _, g := range e.roles {
				sum += g[i]
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Fatalf("component %d: the roles' gradients add up to %v, the step's is %v", i, sum, want)
			}
		}
		if got := s.RoleGradients["policy"]; len(e.roles) != agents || math.Abs(got.Norm-s.GradNorm["policy"]) > 1e-12 {
			t.Fatalf("%d roles, norm %v, the step's %v", len(e.roles), got.Norm, s.GradNorm["policy"])
		}
		for agent, want := range masses {
			if got := s.RoleLoss[c.RoleName(agent)]; total > 0 && math.Abs(got-want/total) > 1e-12 {
				t.Fatalf("%s has %v of the loss, want %v", c.RoleName(agent), got, want/total)
			}
		}
	})
}

// TestRolesMeasured: gradients are measured in every n-th update of a policy that several agents speak with. An agent alone has the norm of its
// policy's step, and a team of one has nothing to compare.
func TestRolesMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		agents, every, update int
		sharing               string
		gradients, norms      int
	}{
		"off":           {2, 0, 0, "shared", 0, 0},
		"first":         {2, 3, 0, "shared", 1, 2},
		"between":       {2, 3, 2, "shared", 0, 0},
		"fourth":        {2, 3, 3, "shared", 1, 2},
		"isolated":      {2, 0, 1, "per-agent", 0, 2},
		"isolated, on":  {2, 1, 1, "per-agent", 0, 2},
		"a team of one": {1, 1, 0, "shared", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := tabular.NewTabular(2)
			base := team(e, c.agents, c.sharing, c.every)
			s := new(learn.Stats)
			for agent := range c.agents {
				to := learn.PolicyRef{Engine: e, Policy: base.Sharing.Policy(0, agent)}
				_ = e.NewPolicy(t.Context(), to.Policy, engine.PolicySpec{}) // shared: the second time it is there
				b := learn.PolicyBatch{To: to, Loss: loss.SequenceWeights([]float64{1})}
				b.Add(engine.Datum{Policy: to.Policy, Tokens: []int{0, agent}, ScoreFrom: 1}, agent)
				if err := base.Accumulate(t.Context(), []learn.PolicyBatch{b}, s); err != nil {
					t.Fatal(err)
				}
			}
			for _, p := range base.Sharing.Trained(1, false) {
				if err := base.Step(t.Context(), learn.PolicyRef{Engine: e, Policy: p.Policy}, c.update, 0.1, s); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.RoleGradients) != c.gradients || len(s.RoleNorm) != c.norms || len(s.RoleLoss) != c.agents*min(c.agents-1, 1) {
				t.Errorf("gradients %v, norms %v, losses %v", s.RoleGradients, s.RoleNorm, s.RoleLoss)
			}
		})
	}
}

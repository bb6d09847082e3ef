package learn

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// Common is what learners embed: the run, and what they all do with it.
type Common struct {
	Config
	meter roleMeter
}

// EngineOf is the engine of an agent.
func (c *Common) EngineOf(agent int) engine.Engine { return c.Actors[agent].Engine }

// A Due is a policy whose gradient is there, with the peak of its learning rate. Still says that the gradient is zero, as nothing was better than anything
// else: the step counts, for the schedule too, and leaves the policy and its moments as they are.
type Due struct {
	To    PolicyRef
	Peak  float64
	Still bool
}

// Step takes one optimizer step of a policy at the learning rate that the schedule makes of a peak.
func (c *Common) Step(ctx context.Context, to PolicyRef, update int, peak float64, s *Stats) error {
	return c.StepAll(ctx, []Due{{To: to, Peak: peak}}, update, s)
}

// StepAll takes one step of each of some policies. An engine that takes several at the same time is asked once.
func (c *Common) StepAll(ctx context.Context, due []Due, update int, s *Stats) error {
	steps, roles, infos := make([]engine.PolicyStep, len(due)), make([]weighed, len(due)), make([]engine.StepInfo, len(due))
	var which []int
	for i, d := range due {
		var err error
		if roles[i], err = c.roles(ctx, d.To, update); err != nil {
			return err
		}
		steps[i] = engine.PolicyStep{Policy: d.To.Policy, Adam: c.adam(d, update)}
		if !d.Still {
			which = append(which, i)
		}
	}
	err := ByEngine(which, func(i int) engine.Engine { return due[i].To.Engine }, func(e engine.Engine, part []int) error {
		var asked []engine.PolicyStep
		for _, i := range part {
			asked = append(asked, steps[i])
		}
		all, err := engine.Steps(ctx, e, asked)
		if err != nil {
			return fmt.Errorf("optimizer step of %s: %w", stepped(asked), err)
		}
		for k, i := range part {
			infos[i] = all[k]
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, d := range due {
		c.Steps[d.To.Policy]++
		s.AddStep(string(d.To.Policy), infos[i], steps[i].Adam.LR)
		if d.Still {
			s.moved[string(d.To.Policy)] += 0 // it is known that it stayed where it was
		}
		s.addRoles(string(d.To.Policy), roles[i], infos[i])
	}
	return nil
}

// stepped are the names of the policies of some steps.
func stepped(steps []engine.PolicyStep) string {
	var out []string
	for _, s := range steps {
		out = append(out, string(s.Policy))
	}
	return strings.Join(out, ", ")
}

// adam are the settings of a policy's next step.
func (c *Common) adam(d Due, update int) engine.Adam {
	o, own := c.Optimizers[d.To.Policy]
	if !own {
		o = c.Optimizer
	} else if d.Peak == c.Optimizer.LR {
		d.Peak = o.LR
	}
	return o.Adam(c.rate(o.Schedule(d.Peak, c.Updates), d.To.Policy, update))
}

// rate is the learning rate of a policy's next step, and remembers the update in which its warm-up ends.
func (c *Common) rate(r loss.RateSchedule, p engine.Policy, update int) float64 {
	step := c.Steps[p]
	if r.Rises(step) {
		c.Tops[p] = update
	}
	return r.Rate(step, update, c.Tops[p])
}

// Shuffle is a random stream that mixes the samples of a policy in an update, the n-th one.
func (c *Common) Shuffle(p engine.Policy, update, n int) *rand.Rand {
	return seed.Stream(seed.Derive(uint64(c.Seed), "shuffle "+string(p), update, n))
}

// ReferenceLogprobs scores answers under the base without adapters, each on the engine of the agent that wrote it, at the
// settings it was sampled with.
func (c *Common) ReferenceLogprobs(ctx context.Context, answers []*Answer) error {
	err := Forward(ctx, answers, func(a *Answer) engine.Engine { return c.EngineOf(a.AgentTurn.Agent) },
		func(a *Answer) engine.Datum { return a.Datum(engine.Base) },
		func(a *Answer, out engine.Output) { a.Reference = out.Logprobs })
	if err != nil {
		return fmt.Errorf("score answers under the base: %w", err)
	}
	return nil
}

// KLOf is the coefficient of a policy's KL penalty: its own, or that of the algorithm's settings.
func (c *Common) KLOf(p engine.Policy, settings float64) float64 {
	if own, has := c.KL[p]; has {
		return own
	}
	return settings
}

// Penalizes says that some policy has a KL penalty, by the algorithm's settings or by itself.
func (c *Common) Penalizes(settings float64) bool {
	return settings > 0 || slices.ContainsFunc(slices.Collect(maps.Values(c.KL)), func(own float64) bool { return own > 0 })
}

// Divergences returns the sum of [loss.KLTokens] over each answer (MAGRPO §2.5); none where neither settings nor a policy have a coefficient.
func (c *Common) Divergences(ctx context.Context, settings Group, answers []*Answer, s *Stats) (map[*rollout.Completion]float64, error) {
	if !c.Penalizes(settings.KL) {
		return nil, nil
	}
	if err := c.ReferenceLogprobs(ctx, answers); err != nil {
		return nil, err
	}
	out := map[*rollout.Completion]float64{}
	mean := 0.0
	for _, a := range answers {
		kl := 0.0
		for _, x := range loss.KLTokens(settings.KLForm, a.Completion.Logprobs, a.Reference) {
			kl += x
		}
		mean += kl / float64(len(answers))
		out[a.Completion] = kl
	}
	s.KL = &mean
	return out, nil
}

// Forward runs one forward pass an engine over what belongs to it, and hands each its output.
func Forward[T any](ctx context.Context, all []T, of func(T) engine.Engine, datum func(T) engine.Datum, put func(T, engine.Output)) error {
	return ByEngine(all, of, func(e engine.Engine, part []T) error {
		data := make([]engine.Datum, len(part))
		for i, x := range part {
			data[i] = datum(x)
		}
		out, err := e.Forward(ctx, data)
		if err != nil {
			return err
		}
		for i, x := range part {
			put(x, out[i])
		}
		return nil
	})
}

// ByEngine calls do with what belongs to each engine, in the order in which the engines appear.
func ByEngine[T any](all []T, of func(T) engine.Engine, do func(engine.Engine, []T) error) error {
	keys, parts := groupBy(all, of)
	for _, e := range keys {
		if err := do(e, parts[e]); err != nil {
			return err
		}
	}
	return nil
}

// groupBy puts together what has one key. Keys are in the order in which they appear.
func groupBy[K comparable, T any](all []T, of func(T) K) (keys []K, parts map[K][]T) {
	parts = map[K][]T{}
	for _, x := range all {
		k := of(x)
		if parts[k] == nil {
			keys = append(keys, k)
		}
		parts[k] = append(parts[k], x)
	}
	return keys, parts
}

package train

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/eval"
	"parley/loss"
	"parley/recipe"
	"parley/rollout"
)

// A learner trains policies on the episodes of one update. It needs no engine that samples: recorded episodes do as well.
type learner interface {
	// credit fills in what every completion earned. It may ask the engine for log-probabilities of the reference and for
	// values; it changes no parameter.
	credit(ctx context.Context, episodes []*rollout.Episode, m *Metrics) error
	// learn takes optimizer steps on credited episodes and writes what happened into m. update counts from 0.
	learn(ctx context.Context, update int, episodes []*rollout.Episode, m *Metrics) error
}

// newLearner returns the learner of the recipe's algorithm.
func newLearner(c core) (learner, error) {
	switch a := c.recipe.Algorithm; {
	case a == recipe.MAPPO:
		return newPPO(c)
	case a == recipe.MADPO:
		return &madpo{c}, nil
	case a == recipe.SFT:
		return newSFT(c), nil
	case a.ActorCritic():
		return newActorCritic(c), nil
	}
	return newGroup(c)
}

// core is what every learner shares.
type core struct {
	recipe   *recipe.Recipe
	actors   []rollout.Actor
	sharing  sharing
	agents   int
	turns    int
	progress *progress
	recall   func(update int) ([]*rollout.Episode, error) // reads the episodes of an earlier update, from 1
	// epochEnds reports whether every problem has been drawn once more after an update, from 0, or the run ends.
	epochEnds func(update int) bool
}

// progress counts optimizer steps per policy; it is saved with every checkpoint.
type progress struct {
	Steps map[engine.Policy]int `json:"steps"`
}

// step takes one optimizer step of a policy at the learning rate of the schedule.
func (c *core) step(ctx context.Context, e engine.Engine, p engine.Policy, update int, base float64, m *Metrics) error {
	o := c.recipe.Optimizer
	lr := c.rate(base, update, c.progress.Steps[p])
	info, err := e.Step(ctx, p, engine.Adam{LR: lr, Beta1: o.Beta1, Beta2: o.Beta2, Eps: o.Eps, WeightDecay: o.WeightDecay, ClipNorm: o.ClipNorm})
	if err != nil {
		return fmt.Errorf("optimizer step of %s: %w", p, err)
	}
	c.progress.Steps[p]++
	m.stepped(string(p), info.GradNorm, lr)
	return nil
}

// rate is the learning rate: it rises over the first optimizer steps of a policy and falls over the updates of the run.
func (c *core) rate(peak float64, update, step int) float64 {
	o := c.recipe.Optimizer
	floor := 1.0
	if o.Decay == "linear" {
		floor = o.FinalLR
	}
	rate := loss.RateSchedule{Peak: peak, Steps: c.recipe.Training.Updates, Floor: floor}.Rate(update)
	return rate * min(1, float64(step+1)/float64(max(o.Warmup, 1)))
}

// referenceLogprobs scores completions under the base without adapters, each on the engine of the agent that wrote it, at the
// settings it was sampled with.
func (c *core) referenceLogprobs(ctx context.Context, answers []*answer) error {
	return c.score(ctx, answers, func(a *answer) engine.Datum { return datum(engine.Base, a.agentTurn, a.completion) },
		func(a *answer, out engine.Output) { a.reference = out.Logprobs })
}

// score runs one forward pass an engine over all answers and hands each its output.
func (c *core) score(ctx context.Context, answers []*answer, of func(*answer) engine.Datum, put func(*answer, engine.Output)) error {
	return byEngine(answers, c.home, func(e engine.Engine, answers []*answer) error {
		data := make([]engine.Datum, len(answers))
		for i, a := range answers {
			data[i] = of(a)
		}
		out, err := e.Forward(ctx, data)
		if err != nil {
			return fmt.Errorf("score answers: %w", err)
		}
		for i, a := range answers {
			put(a, out[i])
		}
		return nil
	})
}

// home is the engine of the agent that wrote an answer.
func (c *core) home(a *answer) engine.Engine { return c.actors[a.agentTurn.Agent].Engine }

// byEngine calls do with what belongs to each engine, in the order in which the engines appear.
func byEngine[T any](all []T, of func(T) engine.Engine, do func(engine.Engine, []T) error) error {
	parts := map[engine.Engine][]T{}
	var order []engine.Engine
	for _, x := range all {
		e := of(x)
		if parts[e] == nil {
			order = append(order, e)
		}
		parts[e] = append(parts[e], x)
	}
	for _, e := range order {
		if err := do(e, parts[e]); err != nil {
			return err
		}
	}
	return nil
}

// An answer is one completion on its way through a learner.
type answer struct {
	turn       int
	agentTurn  *rollout.AgentTurn
	completion *rollout.Completion

	reads     *rollout.AgentTurn // whose prompt the critic reads before the answer
	reference []float32          // [n] log-probabilities under the base
	kl        []float64          // [n] divergence from the base
	values    []float32          // [n+1] of the critic before the update
	advantage []float64          // [n]
	returns   []float64          // [n], or [n+1] where the reward stands past the last token
}

// answersIn lists the completions that trained policies wrote, in the order of episodes, nodes, agents and samples. One
// without a single token (the context was full) has nothing to learn from.
func answersIn(episodes []*rollout.Episode) []*answer {
	var out []*answer
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				agentTurn := &n.Agents[s]
				if agentTurn.Policy == engine.Base {
					continue
				}
				for i := range agentTurn.Completions {
					if len(agentTurn.Completions[i].Tokens) == 0 {
						continue
					}
					out = append(out, &answer{turn: n.Turn, agentTurn: agentTurn, completion: &agentTurn.Completions[i]})
				}
			}
		}
	}
	return out
}

// target is where a policy lives: agents on different engines may use one name.
type target struct {
	engine engine.Engine
	policy engine.Policy
}

// answersOf lists the final answers of the g-th completions at a node.
func answersOf(n *rollout.Node, g int) []eval.Answer {
	out := make([]eval.Answer, len(n.Agents))
	for i := range n.Agents {
		c := &n.Agents[i].Completions[g]
		out[i] = eval.Answer{Canonical: c.Answer, OK: c.HasAnswer}
	}
	return out
}

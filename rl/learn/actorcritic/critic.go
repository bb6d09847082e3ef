package actorcritic

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
)

// criticEngine is the engine of a step's critic: that of the agent that leads where one critic is for all, else the speaker's own.
func (l *learner) criticEngine(x *step) engine.Engine {
	if l.central {
		return l.EngineOf(l.Lead)
	}
	return l.EngineOf(x.AgentTurn.Agent)
}

// critique is what the critic of a step reads: v the prompt of the turn, which makes its value V(h_t), q also the answer, Q(h_t, a_t)
// (MAGRPO §5). A shared head sits on the policy that gave the answer.
func (l *learner) critique(x *step) (engine.Datum, error) {
	if l.central {
		return l.centralCritique(x)
	}
	policy := x.AgentTurn.Policy
	if l.settings.Head == "separate" {
		policy = l.Sharing.Value(x.Turn, x.AgentTurn.Agent)
	}
	tokens := x.AgentTurn.Prompt
	if l.settings.Input == "q" {
		said, _ := x.Completion.Sequence()
		tokens = slices.Concat(tokens, said)
	}
	return learn.ValueAfter(policy, tokens), nil
}

// centralCritique renders what all agents who speak at a node were asked, and for q what they answered in the joint action, each part between
// tags. The text is encoded for the base of the agent that leads, whoever wrote it.
func (l *learner) centralCritique(x *step) (engine.Datum, error) {
	text := learn.JointText(x.node, x.action, l.settings.Input == "q")
	tokens, err := l.Actors[l.Lead].Prompt(text, l.Truncate)
	if err != nil {
		return engine.Datum{}, fmt.Errorf("what the central critic reads: %w", err)
	}
	return learn.ValueAfter(learn.CentralCritic, tokens), nil
}

// critic accumulates the gradient of a minibatch's critic towards the targets T; not some: there is nothing to learn. Every joint action has
// one step that leads, with which the central critic learns it once. The loss is c·mean((V − T)²) with c = critic.coef, a mean over what the
// minibatch holds (MAGRPO §5).
func (l *learner) critic(ctx context.Context, batch []*step, s *learn.Stats) (due learn.Due, some bool, err error) {
	var all learn.PolicyBatch
	var answers []loss.ValueAnswer
	var e engine.Engine
	for _, x := range batch {
		if l.central && !x.leads {
			continue
		}
		e = l.criticEngine(x)
		all.Add(x.critique, x.AgentTurn.Agent)
		answers = append(answers, loss.ValueAnswer{Old: []float32{float32(x.value)}, Returns: []float64{x.target}})
	}
	if len(all.Data) == 0 {
		return due, false, nil
	}
	values, err := loss.NewValueBatch(l.objective, answers, 0)
	if err != nil {
		return due, false, err
	}
	all.To, all.Loss = learn.PolicyRef{Engine: e, Policy: all.Data[0].Policy}, values.Gradient
	if err := l.Accumulate(ctx, []learn.PolicyBatch{all}, s); err != nil {
		return due, false, err
	}
	stats := values.Stats()
	s.AddValuePass(stats.Loss, stats.Explained)
	lr := l.settings.LR
	if lr == 0 {
		lr = l.Optimizer.LR
	}
	return learn.Due{To: all.To, Peak: lr}, true, nil
}

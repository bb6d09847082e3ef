// Package fuse trains one student on texts that several frozen teachers have read (FuseLLM, arXiv 2401.10491): the student learns the text and, at
// every place of it, what the teachers expect there.
//
//	section.go   what is wrong with them; the settings
//	fuse.go      the loss, and the steps on it
//	vocabulary.go, warp.go, rows.go, topk.go    a teacher's tokens and places in those of the student
//
// No agent speaks in training. An episode is a text with the rows of every teacher at every place, already in the student's tokens
// ([rollout.Teaching]), so a learner is a function of episodes here too. With q the rows of the teachers that were chosen or mixed, the
// loss of a minibatch is the mean over its places of
//
//	−λ·log p(gold) − (1−λ)·Σ q·log p
//
// at temperature 1. λ may rise over the updates of the run, or follow the teachers. At λ = 1 it is supervised learning of the texts, bit for bit.
package fuse

import (
	"context"
	"errors"
	"fmt"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// FuseLLM is the algorithm's entry in the register.
func FuseLLM() learn.Algorithm {
	return learn.Algorithm{
		Name: "fuse", About: "one student learns texts and what several frozen teachers expect at every place of them (FuseLLM)", Kind: learn.Debates,
		Sections: []learn.Section{section()}, Episodes: learn.FromTexts, New: New, Steps: steps, Passes: passes,
	}
}

// Distillation is the name of the algorithm in which a trained team teaches.
const Distillation = "distil"

// FromTeam is its entry in the register.
func FromTeam() learn.Algorithm {
	a := FuseLLM()
	a.Name, a.About = Distillation, "one student learns to say alone what a trained team says in the end, with the distributions of the policies that said it"
	a.Sections = []learn.Section{section(), {Name: "distil", Settings: Distil{}}}
	a.Unread = []string{"fuse.teachers", "fuse.text", "fuse.fusion", "fuse.per"}
	return a
}

// steps counts one of every policy for each minibatch.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	return o.Updates * o.Trained(false) * s.Epochs * s.Minibatches
}

// passes: every text is trained on in every epoch.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	return learn.Passes{Trained: (a.Prompt + a.Answer) * float64(learn.SettingsIn[Settings](settings).Epochs)}
}

// A learner keeps nothing between updates.
type learner struct {
	learn.Common
	settings Settings
}

// New returns a learner from teachers. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s}, nil
}

// Update implements [learn.Learner]: steps on random minibatches of the texts. What the task says of them is for reports; all are learned.
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	texts, err := s.Play(ctx)
	if err != nil {
		return err
	}
	l.CreditScores(texts, s.Stats)
	if err := s.Credited(); err != nil {
		return err
	}
	return l.EachMinibatch(l.ToImitate(texts), l.settings.Epochs, l.settings.Minibatches, s.Update, func(to learn.PolicyRef, batch []*learn.Answer) error {
		return l.fit(ctx, to, batch, s.Update, s.Stats)
	})
}

// fit takes one optimizer step of a policy on some texts: the loss is the mean over all their places of the cross-entropy under the mixed target,
// the token loss REINFORCE with advantage 1 where a place's log-probability is that of its target.
func (l *learner) fit(ctx context.Context, to learn.PolicyRef, batch []*learn.Answer, update int, s *learn.Stats) error {
	likelihood, err := learn.Likelihood(batch)
	if err != nil {
		return err
	}
	all := learn.PolicyBatch{To: to, Loss: likelihood.Gradient}
	targets := make([][][]engine.Target, len(batch))
	soft := false
	for i, a := range batch {
		d := a.PlainDatum(to.Policy)
		d.Mask = engine.Mask{}
		all.Add(d, a.AgentTurn.Agent)
		if targets[i], err = l.targets(a.Completion, update); err != nil {
			return err
		}
		soft = soft || targets[i] != nil
	}
	if soft {
		err = soften(ctx, all, targets)
	} else {
		err = l.Accumulate(ctx, []learn.PolicyBatch{all}, s)
	}
	if err != nil {
		return err
	}
	s.AddLoss(likelihood.Stats().Loss)
	return l.Step(ctx, to, update, l.Optimizer.LR, s)
}

// soften adds up the gradients of soft targets.
func soften(ctx context.Context, all learn.PolicyBatch, targets [][][]engine.Target) error {
	e, can := engine.As[engine.Distiller](all.To.Engine)
	if !can {
		return errors.New("the engine trains towards single tokens alone: teachers need one that implements engine.Distiller, such as the embedded one")
	}
	if err := e.ForwardBackwardSoft(ctx, all.Data, targets, all.Loss); err != nil {
		return fmt.Errorf("train %s: %w", all.To.Policy, err)
	}
	return nil
}

// targets are what the places of a text are trained towards; nil: the tokens alone, because there is no teacher or λ is
// 1.
func (l *learner) targets(c *rollout.Completion, update int) ([][]engine.Target, error) {
	if len(c.Teaching) == 0 {
		return nil, nil
	}
	teachers := make([]Teacher, len(c.Teaching))
	for j, t := range c.Teaching {
		teachers[j] = Teacher{CE: t.CE, Tokens: t.Tokens, Chars: t.Chars}
		if len(t.Rows) != len(c.Tokens) {
			return nil, fmt.Errorf("teacher %s has %d rows for a text of %d tokens", t.Teacher, len(t.Rows), len(c.Tokens))
		}
	}
	choice, err := l.settings.Objective().Choose(teachers)
	if err != nil {
		return nil, err
	}
	lambda, err := l.settings.Weight().At(update, l.Updates, choice)
	if err != nil || lambda == 1 {
		return nil, err
	}
	out := make([][]engine.Target, len(c.Tokens))
	rows := make([]Target, len(c.Teaching))
	for i, gold := range c.Tokens {
		for j, t := range c.Teaching {
			rows[j] = distribution(t.Rows[i])
		}
		out[i] = place(Mix(gold, choice.Target(rows), lambda))
	}
	return out, nil
}

// distribution is a row as losses read it.
func distribution(row []engine.Target) Target {
	var out Target
	for _, t := range row {
		out.IDs, out.Probs = append(out.IDs, t.Token), append(out.Probs, float64(t.Mass))
	}
	return out
}

// place is a target as engines read it.
func place(t Target) []engine.Target {
	out := make([]engine.Target, len(t.IDs))
	for i, id := range t.IDs {
		out[i] = engine.Target{Token: id, Mass: float32(t.Probs[i])}
	}
	return out
}

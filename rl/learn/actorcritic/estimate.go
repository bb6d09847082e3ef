package actorcritic

import (
	"slices"

	"parley/rl/learn"
)

// estimates are what runs cost whose critic is central, or one of every policy. A critic costs a step and a reading of every answer's
// history beside the policy's own; one that sits on the policy costs no step.
type estimates struct{ central bool }

// steps lets the samples of every dialogue go through the buffers of an update, agent by agent. A minibatch is a step of the policy and one
// of its critic, if that has parameters of its own; a central one learns from those that lead.
func (e estimates) steps(o learn.Outline) int {
	s, g := learn.SettingsIn[Settings](o.Settings), learn.SettingsIn[learn.Group](o.Settings)
	var dialogue []learn.Unit
	for agent := range o.Sharing.Bases {
		for turn := range o.Turns {
			for _, u := range o.Units(turn) {
				if u.Agent == agent {
					dialogue = append(dialogue, u)
				}
			}
		}
	}
	problem := slices.Repeat(dialogue, o.Actions*max(o.Episodes, 1))
	return o.BufferSteps(g, false, problem, func(batch []learn.Unit) int {
		leads := slices.ContainsFunc(batch, func(u learn.Unit) bool { return u.Leads })
		if s.Head == "shared" || e.central && !leads {
			return 1
		}
		return 2
	})
}

// passes counts what one answer costs beside its sampling: an answer is trained on once, and scored under the base where there is a penalty for
// the distance from it. Its critic reads the prompt (v), for q the answer too, a central one as much of every agent, and is trained on that. All
// of it is in tokens of one answer.
func (e estimates) passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s, g := learn.SettingsIn[Settings](settings), learn.SettingsIn[learn.Group](settings)
	whole := a.Prompt + a.Answer
	read := a.Prompt
	if s.Input == "q" {
		read = whole
	}
	if e.central {
		read *= float64(a.Agents)
	}
	// The critic reads once to give its values before the step, and once in it.
	p := learn.Passes{Scored: read, Trained: whole + read}
	if a.Penalized || g.KL > 0 {
		p.Scored += whole
	}
	return p
}

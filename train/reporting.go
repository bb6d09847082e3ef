package train

import (
	"parley/recipe"
	"parley/train/plan"
	"parley/train/report"
)

// text is what a user reads at the end of a run.
func (r *runner) text() string { return report.Text(r.report, r.reportContext()) }

// reportContext is what the report tells beside its numbers.
func (r *runner) reportContext() report.Context {
	c := report.Context{Speakers: speakers(r.recipe), Before: r.before.Examples, Watched: r.diagnosis != nil, Full: r.recipe.Policies.Full}
	if c.Trained = r.after != r.before; c.Trained {
		c.After = r.after.Examples
	}
	if r.run != nil {
		c.Dir = r.run.Dir()
	}
	return c
}

// speakers says who speaks with which base, in teams of several bases or with frozen agents; none: nothing is worth a word.
func speakers(r *recipe.Recipe) []report.Speaker {
	if len(r.Models) == 0 && len(r.Policies.Frozen) == 0 {
		return nil
	}
	var out []report.Speaker
	for agent, base := range r.Bases() {
		s := report.Speaker{Base: base, Frozen: r.Policies.IsFrozen(agent), By: plan.Agent(r, agent).Speaker()}
		if names := r.AgentNames(); agent < len(names) {
			s.Name = names[agent]
		}
		out = append(out, s)
	}
	return out
}

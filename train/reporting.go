package train

import (
	"parley/recipe"
	"parley/train/record"
	"parley/train/report"
	"parley/train/report/figures"
)

// text is what a user reads at the end of the job.
func (j *job) text() string { return report.Text(j.report, j.reportContext()) }

// reportContext is what the report tells beside its numbers.
func (j *job) reportContext() report.Context {
	c := report.Context{Speakers: speakers(j.recipe), Before: j.before.Examples, Watched: j.diagnosis != nil}
	if c.Trained = j.after != j.before; c.Trained {
		c.After = j.after.Examples
	}
	if j.run != nil {
		c.Dir = j.run.Dir()
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
		out = append(out, report.Speaker{Base: base, Frozen: r.Policies.IsFrozen(agent)})
	}
	return out
}

// figures draws the report of the run and its training.
func (j *job) figures() (map[string][]byte, error) {
	updates, err := record.Curve(j.run.Dir())
	if err != nil {
		return nil, err
	}
	return figures.Of(j.report, updates)
}

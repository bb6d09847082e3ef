package train

import (
	"slices"

	"parley/diagnose"
	"parley/rollout"
	"parley/runs"
	"parley/train/lineup"
)

// watchOf looks for what goes wrong in group-relative training.
func watchOf(s lineup.Lineup) *diagnose.Watch {
	if s.Recipe.Algorithm.Debates() {
		return nil
	}
	least, most := s.Scorer.Range()
	w := &diagnose.Watch{}
	w.Raw, w.Processed = diagnose.Range{Least: least, Most: most}, diagnose.Range{Least: least, Most: most}
	w.Processed.Least, w.Processed.Most = s.Scorer.ProcessedRange()
	w.Switch = s.Recipe.Team.WarmUp
	w.Learned = s.Recipe.Reward.Source == "preferences"
	w.Groups = s.Recipe.Algorithm.GroupRelative()
	w.Normalise, w.Answers = s.Recipe.Group.Normalize, s.Scorer.Answerer() != nil
	return w
}

// diagnose looks at the episodes of an update, says what fires for the first time, and brings the run's diagnosis up to date
// then, and where a checkpoint follows.
func (l *loop) diagnose(update int, episodes []*rollout.Episode) error {
	if l.watch == nil {
		return nil
	}
	first := l.watch.See(update, episodes)
	for _, d := range first {
		l.observe(Event{Kind: Note, Phase: l.phase, Message: "diagnostic of the " + l.phase + ": " + d.String()})
	}
	if len(first) > 0 || update%l.team.Recipe.Training.Checkpoint == 0 {
		return l.run.WriteJSON(runs.DiagnosisFile, l.watch.Result(update))
	}
	return nil
}

// diagnosis is what is known so far; nil: nothing is looked for.
func (l *loop) diagnosis() *runs.Diagnosis {
	if l.watch == nil {
		return nil
	}
	d := l.watch.Result(l.done)
	return &d
}

// diagnose completes the diagnosis of the team's training with what only the evaluation can say, and files it.
func (j *job) diagnose() error {
	if j.diagnosis == nil {
		return nil
	}
	if joint, solo := j.compared(); solo != nil {
		j.structure(joint, solo)
	}
	diagnose.Order(j.diagnosis.Diagnostics)
	j.report.Diagnostics = j.diagnosis.Diagnostics
	return j.run.WriteJSON(runs.DiagnosisFile, j.diagnosis)
}

// compared are the task scores of the team and of one model on every held-out problem, 0 to 1: votes, or, where the task says it, the
// share that is solved. Rewards are none: they may pay for working together. nil: nothing can be compared.
func (j *job) compared() (joint, solo []float64) {
	switch {
	case j.solo == nil:
	case j.report.Metric == "accuracy":
		return j.after.Last(), j.solo.Last()
	case len(j.after.Solved) == len(j.solo.Solved):
		return j.after.Solved, j.solo.Solved
	}
	return nil, nil
}

// structure looks for problems on which a team gains nothing over one model.
func (j *job) structure(joint, solo []float64) {
	d, f := j.diagnosis, diagnose.CheckStructure(joint, solo)
	for _, r := range diagnose.Rules(f) {
		d.Checked = append(d.Checked, r)
		d.Unchecked = slices.DeleteFunc(d.Unchecked, func(u runs.Unchecked) bool { return u.Rule == r.Rule })
	}
	d.Diagnostics = append(d.Diagnostics, diagnose.HeldOut(f, d.Update, j.problems)...)
}

package train

import (
	"context"
	"slices"

	"parley/recipe"
	"parley/rl/eval"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
	"parley/runs/diagnose"
	"parley/runs/store"
	"parley/task"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/plan"
)

// watchOf looks for what goes wrong in training.
func watchOf(s lineup.Lineup) *diagnose.Watch {
	least, most := s.Scorer.Range()
	w := &diagnose.Watch{}
	w.Names = s.Sharing.Names
	w.Raw, w.Processed = diagnose.Range{Least: least, Most: most}, diagnose.Range{Least: least, Most: most}
	w.Processed.Least, w.Processed.Most = s.Scorer.ProcessedRange()
	w.Debate = s.Recipe.Kind() == learn.Debates
	w.Penalised = w.Debate || !s.Recipe.Reward.Joint()
	outline, _ := s.Recipe.Outline() // of a recipe that was checked
	w.Given, w.Gathers = s.Recipe.AlgorithmType().Episodes == learn.FromTexts, s.Recipe.AlgorithmType().Gathers(outline)
	w.Switch = s.Recipe.Team.WarmUp
	w.Warming, w.Automatic = plan.Warming(s.Recipe), s.AutoRate
	w.Ordered = plan.Ordered(s.Recipe)
	w.Steps = s.Recipe.Stepwise() || s.Recipe.Harnessed()
	for agent := range s.Recipe.Seats() {
		w.Unequal = w.Unequal || plan.Agent(s.Recipe, agent).Speaker() != ""
	}
	w.TeamAlone = plan.TeamAlone(s.Recipe)
	w.Learned = s.Recipe.Reward.Source == "preferences"
	w.Groups = s.Recipe.Kind() == learn.GroupRelative && recipe.Section[words.Credit](s.Recipe).InGroups()
	w.Normalise, w.Answers = recipe.Section[learn.Group](s.Recipe).Normalize, s.Scorer.Answerer() != nil && !w.Steps
	if a := s.Scorer.Answerer(); a != nil && !s.Recipe.Reward.Joint() {
		w.Reads = func(p task.Problem, text string) bool { _, ok := task.AnswerTo(a, p, text); return ok }
	}
	return w
}

// diagnose looks at the episodes of an update, says what fires for the first time, and brings the run's diagnosis up to date
// then, and where a checkpoint follows.
func (l *loop) diagnose(ctx context.Context, m *Metrics, episodes, whole []*rollout.Episode) error {
	update := m.Update
	numbers, err := l.numbers(ctx, m, whole)
	if err != nil {
		return err
	}
	first := append(l.watch.See(update, whole), l.watch.Observe(diagnose.HealthOf(update, episodes, numbers))...)
	first = append(first, l.watch.Play(update, whole, m.Harness)...)
	first = append(first, l.watch.Weigh(update, whole, m.RoleGradients, m.Norms())...)
	for _, d := range first {
		kind := Note
		if d.Kind == string(diagnose.UnheardPay) { // a mistake in the recipe, and no matter of luck
			kind = Warning
		}
		l.observe(Event{Kind: kind, Phase: l.phase, Message: "diagnostic of the " + l.phase + ": " + d.String()})
	}
	if len(first) > 0 || update%l.team.Recipe.Training.Checkpoint == 0 {
		return l.run.WriteJSON(store.DiagnosisFile, l.watch.Result(update))
	}
	return nil
}

// Bounds of how far policies are measured to have moved.
const (
	driftEvery   = 5  // updates
	driftAnswers = 16 // of one update
)

// numbers are what a watch is told of an update beside its episodes.
func (l *loop) numbers(ctx context.Context, m *Metrics, whole []*rollout.Episode) (diagnose.Numbers, error) {
	n := diagnose.Numbers{Steps: m.OptimizerSteps, Reward: m.MeanReward(), Overpaid: m.Overpaid, Moved: m.Moved(), Unsettled: m.NotZeroSum}
	if m.ValueLoss != 0 || m.Explained != 0 {
		n.Explained = &m.Explained
	}
	if m.Update%driftEvery != 0 {
		return n, nil
	}
	drift, ok, err := learn.Drift(ctx, l.config, whole, driftAnswers, l.team.Recipe.AlgorithmType().FromUntrained())
	if ok {
		n.Drift = &drift
	}
	return n, err
}

// diagnosis is what is known so far.
func (l *loop) diagnosis() *store.Diagnosis {
	d := l.watch.Result(l.done)
	return &d
}

// diagnose completes the diagnosis of the team's training with what only the evaluation can say, and files it.
func (r *runner) diagnose() error {
	if r.diagnosis == nil {
		return nil
	}
	if r.solo != nil && r.recipe.Kind() != learn.Debates {
		r.structure()
	}
	diagnose.Order(r.diagnosis.Diagnostics)
	r.report.Diagnostics = r.diagnosis.Diagnostics
	return r.run.WriteJSON(store.DiagnosisFile, r.diagnosis)
}

// structure looks for problems on which a team gains nothing over one model, by their task scores on every held-out problem, 0 to 1: votes,
// or, where the task says it, the share that is solved. Rewards are none: they may pay for working together.
func (r *runner) structure() {
	joint, solo := r.after.Solved, r.solo.Solved
	if by := eval.Accuracy(); r.after.Measure == by && r.solo.Measure == by {
		joint, solo = r.after.Last().Values, r.solo.Last().Values
	}
	numbers, ours, theirs := measure.Common(r.after, r.solo)
	if len(joint) != len(r.after.Tokens) || len(solo) != len(r.solo.Tokens) || len(numbers) == 0 {
		return // the task does not say it
	}
	d, f := r.diagnosis, diagnose.CheckStructure(measure.At(joint, ours), measure.At(solo, theirs))
	for _, rule := range diagnose.Rules(f) {
		d.Checked = append(d.Checked, rule)
		d.Unchecked = slices.DeleteFunc(d.Unchecked, func(u store.Unchecked) bool { return u.Rule == rule.Rule })
	}
	d.Diagnostics = append(d.Diagnostics, diagnose.HeldOut(f, d.Update, measure.At(r.problems, numbers))...)
}

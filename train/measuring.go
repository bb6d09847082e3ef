package train

import (
	"context"
	"slices"

	"parley/engine"
	"parley/rl/eval"
	"parley/rl/learn"
	"parley/runs"
	"parley/train/kept"
	"parley/train/lineup"
	"parley/train/measure"
)

// measure returns the measurement of a system after so many updates, from the folder where what was interrupted has left it.
func (r *runner) measure(ctx context.Context, system string, updates int, do func(context.Context) (*measure.Measurement, error)) (*measure.Measurement, error) {
	place := kept.At(r.run, r.kept)
	if m := kept.Recorded(place, system, updates, r.usable, r.options.note); m != nil {
		return m, nil
	}
	r.options.Observe(Event{Kind: Measuring, System: system})
	r.kept.Measuring(system)
	m, err := do(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range m.Notes() {
		r.options.Observe(Event{Kind: Warning, Phase: system, Message: n})
	}
	r.options.Observe(Event{Kind: Measured, System: system, Score: m.Score(), Metric: m.Measure.Name})
	return m, kept.Record(place, system, updates, m)
}

// usable reports whether a measurement from the folder is one of this run's held-out problems, by the measure of this run. Earlier releases did not
// write the measure: of theirs only accuracy is known to be what it is called.
func (r *runner) usable(m *measure.Measurement) bool {
	if m.Measure == (eval.Measure{}) && r.by == eval.Accuracy() {
		m.Measure = r.by
	}
	by, enough := m.Measure == r.by, true
	if len(m.Shares) > 0 {
		by, enough = true, len(m.Shares[0]) >= r.recipe.Eval.Solving() && (m.System == runs.Single || m.Repeats() >= r.recipe.Eval.Repeats())
	}
	return by && enough && (r.before == nil || m.Problems() == r.before.Problems())
}

// measureTeam measures the team, trained or not.
func (r *runner) measureTeam(ctx context.Context, l lineup.Lineup, system string, updates int, trained bool) (*measure.Measurement, error) {
	return r.measure(ctx, system, updates, func(ctx context.Context) (*measure.Measurement, error) { return measure.Team(ctx, l, system, trained) })
}

// wants reports whether the recipe asks for a baseline.
func (r *runner) wants(system string) bool { return slices.Contains(r.recipe.Eval.Baselines, system) }

// furtherSystems measures what the recipe asks for beside the team: the untrained team with twice the tokens, policies without history,
// many samples of the team, untrained teams of other kinds, and one agent alone.
func (r *runner) furtherSystems(ctx context.Context, l lineup.Lineup) error {
	if err := r.baseline(ctx, runs.OffTheShelfDouble, func(ctx context.Context) (*measure.Measurement, error) { return measure.DoubleTokens(ctx, l) }); err != nil {
		return err
	}
	for _, further := range []func(context.Context, lineup.Lineup) error{r.withoutHistory, r.sampled, r.variants} {
		if err := further(ctx, l); err != nil {
			return err
		}
	}
	for _, team := range measure.UntrainedTeams() {
		if err := r.baseline(ctx, team.System, func(ctx context.Context) (*measure.Measurement, error) { return team.Measure(ctx, l) }); err != nil {
			return err
		}
	}
	return r.untrainedSingles(ctx, l)
}

// variants measures votes over passes of the team, and the trained team with one agent changed.
func (r *runner) variants(ctx context.Context, l lineup.Lineup) error {
	for _, v := range measure.Variants(l, r.after != r.before) {
		m, err := r.measure(ctx, v.System, v.After(r.report.Updates), func(ctx context.Context) (*measure.Measurement, error) { return v.Measure(ctx, l) })
		if r.baselines = append(r.baselines, m); err != nil {
			return err
		}
	}
	return nil
}

// baseline measures an untrained system that the recipe asks for.
func (r *runner) baseline(ctx context.Context, system string, do func(context.Context) (*measure.Measurement, error)) error {
	if !r.wants(system) {
		return nil
	}
	m, err := r.measure(ctx, system, 0, do)
	if err == nil {
		r.baselines = append(r.baselines, m)
	}
	return err
}

// withoutHistory measures the base, and every trained policy, on the question alone.
func (r *runner) withoutHistory(ctx context.Context, l lineup.Lineup) error {
	if !r.recipe.Eval.NoHistory {
		return nil
	}
	asked := []learn.Trainee{{Policy: engine.Base, Agent: r.recipe.Soloist()}}
	if r.after != r.before {
		asked = append(asked, l.Sharing.Trained(l.Protocol.Turns(), false)...)
	}
	for _, p := range asked {
		name, updates := string(p.Policy), r.report.Updates
		if p.Policy == engine.Base {
			name, updates = runs.OffTheShelf, 0
		}
		m, err := r.measure(ctx, "without-history-"+name, updates, func(ctx context.Context) (*measure.Measurement, error) {
			return measure.QuestionAlone(ctx, l, name, p)
		})
		if err != nil {
			return err
		}
		r.alone = append(r.alone, m)
	}
	return nil
}

// sampled measures many joint samples of the team for each problem, before training and after it, and as many answers of one untrained agent where that
// is a baseline.
func (r *runner) sampled(ctx context.Context, l lineup.Lineup) error {
	n := r.recipe.Eval.Samples()
	if n == 0 {
		return nil
	}
	sample := func(system string, updates int, do func(context.Context) (*measure.Measurement, error)) error {
		m, err := r.measure(ctx, "samples-"+system, updates, do)
		if err == nil {
			r.samples = append(r.samples, m)
		}
		return err
	}
	team := func(system string, trained bool) func(context.Context) (*measure.Measurement, error) {
		return func(ctx context.Context) (*measure.Measurement, error) {
			return measure.Sampled(ctx, l, system, trained, n)
		}
	}
	if err := sample(runs.OffTheShelf, 0, team(runs.OffTheShelf, false)); err != nil {
		return err
	}
	if r.after != r.before {
		if err := sample(runs.Trained, r.report.Updates, team(runs.Trained, true)); err != nil {
			return err
		}
	}
	if n = r.recipe.Eval.Solving(); n == 0 || !r.wants(runs.Single) {
		return nil
	}
	alone, err := measure.Alone(l, r.recipe, false)
	if err != nil {
		return err
	}
	return sample(runs.Single, 0, func(ctx context.Context) (*measure.Measurement, error) {
		return measure.Of(l).SampledAlone(ctx, runs.Single, alone, n)
	})
}

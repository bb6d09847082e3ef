package kept

import (
	"context"

	"parley/internal/seed"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs/store"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/record"
)

// A Panel measures a team while it is trained, on the first of the held-out problems. It measures as the report does, with the same random numbers: what
// it would say of the untrained team is a part of what the report says, and so is its last word of the trained one. Nothing that training draws
// depends on it.
type Panel struct {
	place     Place
	lineup    lineup.Lineup
	untrained float64 // the score before training
	watch     func(rollout.Progress)
}

// NewPanel returns the panel of a team as it is measured, of which before is the measurement before training; nil: the recipe asks for none. watch is
// told how far its rollouts are.
func NewPanel(p Place, l lineup.Lineup, before *measure.Measurement, watch func(rollout.Progress)) (*Panel, error) {
	if l.Recipe.Eval.Every == 0 {
		return nil, nil
	}
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	out := &Panel{place: p, lineup: sized, watch: watch}
	out.untrained = out.score(before).Score
	return out, nil
}

// Due says whether the team is measured after so many updates; last: they are all.
func (p *Panel) Due(updates int, last bool) bool {
	return p != nil && (last || updates%p.lineup.Recipe.Eval.Every == 0)
}

// Measure measures the team as it is now, after so many updates, and keeps what it answered.
func (p *Panel) Measure(ctx context.Context, updates int) (*record.Panel, error) {
	m := measure.Of(p.lineup)
	m.Problems = m.Problems[:p.size()]
	runner := p.lineup.Evaluation(true)
	runner.Watch = p.watch
	out, err := m.Debates(ctx, store.PanelSystem, runner)
	if err != nil {
		return nil, err
	}
	return p.score(out), Answers(p.place, store.PanelSystem, updates, out)
}

// size is how many problems it has.
func (p *Panel) size() int { return min(p.lineup.Recipe.Eval.Panel, len(p.lineup.HeldOut)) }

// score is that of the panel's problems in a measurement of these and perhaps others.
func (p *Panel) score(m *measure.Measurement) *record.Panel {
	var scores []float64
	numbers, at, _ := measure.Common(m, m)
	for i, number := range numbers {
		if number < p.size() {
			scores = append(scores, m.Last().Values[at[i]])
		}
	}
	s := &record.Panel{Metric: m.Measure.Name, Problems: len(scores), Unscored: p.size() - len(scores), Untrained: p.untrained}
	if len(scores) > 0 {
		i := eval.OverProblems(scores, seed.Derive(uint64(p.lineup.Recipe.Seed), "interval"))
		s.Score, s.CI95 = eval.Mean(scores), [2]float64{i.Low, i.High}
	}
	return s
}

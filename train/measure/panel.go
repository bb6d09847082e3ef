package measure

import (
	"context"

	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs/store"
	"parley/train/lineup"
)

// A Panel measures a team while it is trained, on the first of the held-out problems. It measures as the report does, with the same random numbers: what
// it would say of the untrained team is a part of what the report says, and so is its last word of the trained one. Nothing that training draws
// depends on it.
type Panel struct {
	lineup    lineup.Lineup
	untrained float64 // the score before training
	watch     func(rollout.Progress)
}

// A PanelScore is how a team does on its panel.
type PanelScore struct {
	Metric    string     `json:"metric"`             // the name of the report's measure
	Problems  int        `json:"problems"`           // that could be scored
	Unscored  int        `json:"unscored,omitempty"` // that could not be
	Score     float64    `json:"score"`
	CI95      [2]float64 `json:"ci95"`
	Untrained float64    `json:"untrained"` // the score before training
}

// NewPanel returns the panel of a team as it is measured, of which before is the measurement before training; nil: the recipe asks for none. watch is
// told how far its rollouts are.
func NewPanel(l lineup.Lineup, before *Measurement, watch func(rollout.Progress)) (*Panel, error) {
	if l.Recipe.Eval.Every == 0 {
		return nil, nil
	}
	sized, err := l.WithAgents(l.Recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	p := &Panel{lineup: sized, watch: watch}
	p.untrained = p.score(before).Score
	return p, nil
}

// Due says whether the team is measured after so many updates; last: they are all.
func (p *Panel) Due(updates int, last bool) bool {
	return p != nil && (last || updates%p.lineup.Recipe.Eval.Every == 0)
}

// Measure measures the team as it is now.
func (p *Panel) Measure(ctx context.Context) (*Measurement, *PanelScore, error) {
	m := Of(p.lineup)
	m.Problems = m.Problems[:p.size()]
	runner := p.lineup.Evaluation(true)
	runner.Watch = p.watch
	out, err := m.Debates(ctx, store.PanelSystem, runner)
	if err != nil {
		return nil, nil, err
	}
	s := p.score(out)
	return out, &s, nil
}

// size is how many problems it has.
func (p *Panel) size() int { return min(p.lineup.Recipe.Eval.Panel, len(p.lineup.HeldOut)) }

// score is that of the panel's problems in a measurement of these and perhaps others.
func (p *Panel) score(m *Measurement) PanelScore {
	one := Measurement{Scores: [][]float64{nil}}
	for i, number := range m.numbers() {
		if number < p.size() {
			one.Scores[0] = append(one.Scores[0], m.Last().Values[i])
		}
	}
	n := len(one.Scores[0])
	s := PanelScore{Metric: m.Measure.Name, Problems: n, Unscored: p.size() - n, Untrained: p.untrained}
	if n > 0 {
		s.Score, s.CI95 = eval.Mean(one.Scores[0]), interval(&one, 0, p.lineup.Recipe.Seed)
	}
	return s
}

package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/runs"
	"parley/train/report"
)

// Curve reads what figures show of the updates of the run in dir.
func Curve(dir string) ([]report.Update, error) {
	var all []report.Update
	err := runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m Metrics
		err := json.Unmarshal(data, &m)
		all = append(all, m.drawn())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("draw the training: %w", err)
	}
	return all, nil
}

// meanReturn is NaN where there is none beside the reward.
func (m *Metrics) meanReturn() float64 {
	if len(m.Return) == 0 || slices.Equal(m.Return, m.Reward) {
		return math.NaN()
	}
	return average(m.Return)
}

// drawn is what figures show of an update.
func (m *Metrics) drawn() report.Update {
	kl, norm, taken, panel := math.NaN(), 0.0, math.NaN(), math.NaN()
	if m.Panel != nil {
		panel = m.Panel.Score
	}
	if m.KL != nil {
		kl = *m.KL
	}
	if m.FormTaken != nil {
		taken = *m.FormTaken
	}
	for _, n := range m.GradNorm {
		norm = max(norm, n)
	}
	names, rewards := m.Rewards()
	u := report.Update{Update: m.Update, Accuracy: m.Accuracy, Reward: rewards, Names: names, Schemes: m.Schemes, Play: m.Play, Measures: []report.Measure{
		{Name: "mean reward", Value: average(rewards)},
		{Name: "mean return", Value: m.meanReturn()},
		{Name: "tokens an answer", Value: m.Length},
		{Name: "surprisal of a token (nats)", Value: m.Surprisal},
		{Name: "KL to the base, an answer", Value: kl},
		{Name: "largest gradient norm of a policy", Value: norm},
		{Name: "largest ratio of probabilities", Value: m.RatioMax},
		{Name: "probability that forms took, a token", Value: taken},
		{Name: "share of flagged answers", Value: m.Flagged},
		{Name: "share of texts without answer", Value: m.Unparsed},
		{Name: "score on the held-out panel", Value: panel},
	}}
	if len(m.RoleLoss) > 1 {
		u.Shares = append(u.Shares, report.Shares{Of: "the loss", ByAgent: m.RoleLoss})
	}
	for _, policy := range slices.Sorted(maps.Keys(m.RoleGradients)) {
		s := report.Shares{Of: "the gradient of " + policy, ByAgent: map[string]float64{}}
		for _, p := range m.RoleGradients[policy].Parts {
			s.ByAgent[p.Name] = p.Mass
		}
		u.Shares = append(u.Shares, s)
	}
	return u
}

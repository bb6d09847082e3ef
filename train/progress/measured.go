package progress

import (
	"encoding/json"
	"fmt"

	"parley/recipe"
	"parley/runs"
	"parley/train/estimate"
	"parley/train/record"
)

// Done is what a run has measured so far.
type Done struct {
	Updates     int
	Seconds     float64 // of updates
	Generated   float64 // tokens
	Read        float64 // tokens of prompts, as the engine computed them; or all of them where it does not say
	Scored      float64
	Trained     float64
	Completions int
	Steps       int
	PerSecond   float64 // tokens generated over the time of rollouts
}

// MeasuredPlan reads what the run in a folder has measured: whole updates alone.
func MeasuredPlan(dir string) (Done, error) {
	var d Done
	sampling := 0.0
	err := runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var m struct {
			Tokens      float64 `json:"tokens"`
			Prompts     float64 `json:"prompt_tokens"`
			Generations int     `json:"generations"`
			Steps       int     `json:"optimizer_steps"`
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		d.Updates++
		d.Generated, d.Read = d.Generated+m.Tokens, d.Read+m.Prompts
		d.Completions, d.Steps = d.Completions+m.Generations, d.Steps+m.Steps
		return nil
	})
	if err != nil {
		return d, fmt.Errorf("read what was measured: %w", err)
	}
	computed, timed := 0.0, 0
	err = runs.ReadLines(dir, "timing.jsonl", func(line []byte) error {
		var t record.Timing
		if err := json.Unmarshal(line, &t); err != nil {
			return err
		}
		timed++
		d.Seconds, sampling = d.Seconds+t.Seconds, sampling+t.SampleSeconds
		if c := t.Computed; c != nil {
			computed += float64(c.Sampled)
			d.Scored, d.Trained = d.Scored+float64(c.Scored), d.Trained+float64(c.Trained)
		}
		return nil
	})
	if err != nil {
		return d, fmt.Errorf("read what was measured: %w", err)
	}
	if computed > 0 {
		d.Read = max(0, computed-d.Generated)
	}
	if sampling > 0 {
		d.PerSecond = d.Generated / sampling
	}
	if timed < d.Updates { // lines that are lost: those that are there stand for them
		d.Seconds *= float64(d.Updates) / float64(max(1, timed))
	}
	return d, nil
}

// Replan plans the rest of a run anew, after what it has measured: the whole run's figures, what is done included.
func Replan(r *recipe.Recipe, engines estimate.Estimators, d Done) (*Plan, error) {
	p, err := NewPlan(r, engines)
	if err != nil || d.Updates == 0 || p.Updates == 0 {
		return p, err
	}
	p.Measured = d.Updates
	left := float64(max(0, p.Updates-d.Updates))
	mean := d.Generated / float64(max(1, d.Completions)) // tokens of an answer
	rollouts, training := &p.Phases[PhaseRollouts], &p.Phases[PhaseTraining]
	high := rollouts.Generated.High / float64(p.Updates) // of an update
	rollouts.Generated = wholeRange(d.Generated, d.Updates, left, high)
	rollouts.Read = wholeRange(d.Read, d.Updates, left, 0)
	rollouts.Requests = wholeRange(float64(d.Completions), d.Updates, left, rollouts.Requests.High/float64(p.Updates))
	if d.Trained > 0 {
		training.Trained = wholeRange(d.Trained, d.Updates, left, 0)
		p.Phases[PhaseScoring].Read = wholeRange(d.Scored, d.Updates, left, 0)
	}
	training.Requests = wholeRange(float64(d.Steps), d.Updates, left, training.Requests.High/float64(p.Updates))
	p.evaluate(r, mean)
	hours := wholeRange(d.Seconds, d.Updates, left, 0)
	if d.PerSecond > 0 { // evaluation generates as rollouts do
		hours = hours.plus(p.Phases[PhaseEvaluation].Generated.times(1 / d.PerSecond))
	}
	hours = hours.times(1.0 / 3600)
	p.Hours = &hours
	return p, nil
}

// evaluate takes held-out answers to be as long as those of training.
func (p *Plan) evaluate(r *recipe.Recipe, mean float64) {
	most := float64(estimate.LongestAnswer(r, p.Most.context()))
	x := &p.Phases[PhaseEvaluation].Generated
	x.Likely = x.High * min(1, mean/most)
}

// Margin is how many times more, or less, the updates to come may take than those that were measured.
const Margin = 2

// wholeRange is the figure of a run of which some updates are done and some are left: those take what one took on average, more or less by [Margin], and no
// more than the bound of one, where there is one.
func wholeRange(done float64, updates int, left, bound float64) Range {
	mean := done / float64(updates)
	high := Margin * mean
	if bound > 0 {
		high = min(high, bound)
	}
	return Range{done + left*mean/Margin, done + left*min(mean, high), done + left*high}
}

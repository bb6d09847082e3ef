package progress

import (
	"math"

	"parley/model"
	"parley/model/config"
	"parley/recipe"
	"parley/train/estimate"
	"parley/train/plan"
)

// A Range is a figure with what is likely between two others that it should not leave.
type Range struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
}

func (r Range) plus(o Range) Range { return Range{r.Low + o.Low, r.Likely + o.Likely, r.High + o.High} }

func (r Range) times(x float64) Range { return Range{r.Low * x, r.Likely * x, r.High * x} }

// A Phase is a part of a run.
type Phase struct {
	Phase     string `json:"phase"` // rollouts, scoring, training, evaluation
	Generated Range  `json:"generated_tokens"`
	Read      Range  `json:"read_tokens"` // of prompts, or scored
	Trained   Range  `json:"trained_tokens"`
	Requests  Range  `json:"requests"` // completions, calls of verifiers, optimizer steps
}

// A Plan is what a recipe will take.
//
// It says what the recipe will take before it runs, and again when its first updates have been measured: tokens of every phase, memory,
// adapters, hours and money, each as low, likely and high.
//
// Before anything is measured, low and high are bounds: low counts what a run draws in any case, high takes every answer to be as long as it may be, and
// likely takes half of that. An update that was measured stands for those to come: they are likely to take what it took, and half to double of
// it, within the bounds. Hours follow from tokens and a [Speed]; money from hours, tokens and [Prices].
//
// Tokens and memory are counted by package estimate, which train --dry-run prints too.
type Plan struct {
	Recipe   string               `json:"recipe"`
	Runs     int                  `json:"runs"`
	Updates  int                  `json:"updates"`
	Measured int                  `json:"measured_updates"` // whose figures the plan has
	Phases   []Phase              `json:"phases"`
	Memory   estimate.MemoryBytes `json:"memory_bytes"`
	Most     Concurrency          `json:"concurrency"`
	Adapters int                  `json:"adapter_slots"` // policies, their critics, and what checkpoints keep of them; one more scores for the base on a server
	Hours    *Range               `json:"hours,omitempty"`
	Speed    *Speed               `json:"speed,omitempty"` // that hours follow from
	Cost     *Cost                `json:"cost,omitempty"`
	Missing  []estimate.Missing   `json:"missing"`
}

// Concurrency is what is asked of an engine at once, and the keys and values of that over the largest base.
type Concurrency struct {
	Samples   int     `json:"samples"`
	Tokens    int     `json:"tokens"` // of the longest sequence
	PerToken  float64 `json:"bytes_per_token"`
	CacheSize float64 `json:"keys_and_values_bytes"`
}

// Phases of a plan.
const (
	PhaseRollouts = iota
	PhaseScoring
	PhaseTraining
	PhaseEvaluation
)

// NewPlan plans a recipe on engines of which something is known.
func NewPlan(r *recipe.Recipe, engines estimate.Estimators) (*Plan, error) {
	e, err := estimate.DryRun(r, engines)
	if err != nil {
		return nil, err
	}
	p := &Plan{Recipe: r.Name, Runs: e.Runs, Updates: e.Updates, Memory: e.MemoryBytes, Missing: e.Missing}
	if p.Most, err = concurrency(r); err != nil {
		return nil, err
	}
	p.Adapters = len(plan.Kept(r, r.Sharing(), r.Team.Turns))
	if r.Engine.Tinker.URL != "" {
		p.Adapters += 2 // one that scores for the base, and the base's own
	}
	return p, p.count(r)
}

// count fills in the phases, from counts at three lengths of answers.
func (p *Plan) count(r *recipe.Recipe) error {
	most, shortest := estimate.LongestAnswer(r, p.Most.context()), max(1, r.Sampling.MinTokens)
	var at [3]estimate.Counts
	for i, tokens := range []int{min(shortest, most), (most + 1) / 2, most} {
		var err error
		if at[i], err = estimate.CountAt(r, tokens); err != nil {
			return err
		}
	}
	fewest, err := estimate.FewestCompletions(r)
	if err != nil {
		return err
	}
	least := shareOf(fewest, at[0].Completions) // of the dialogues, in any case
	over := func(of func(c *estimate.Counts) float64, least float64) Range {
		return Range{of(&at[0]) * least, of(&at[1]), of(&at[2])}
	}
	generated := over(func(c *estimate.Counts) float64 { return c.Generated }, least)
	generated.Low = float64(fewest) // a token each: an agent of its own may have no least length
	p.Phases = []Phase{
		{
			Phase: "rollouts", Generated: generated, Read: over(func(c *estimate.Counts) float64 { return c.Read }, least),
			Requests: over(func(c *estimate.Counts) float64 { return float64(c.Completions) }, least),
		},
		{
			Phase: "scoring", Read: over(func(c *estimate.Counts) float64 { return c.Scored }, least),
			Requests: over(func(c *estimate.Counts) float64 { return float64(c.Calls) }, least),
		},
		{
			Phase: "training", Trained: over(func(c *estimate.Counts) float64 { return c.Trained }, least),
			Requests: over(func(c *estimate.Counts) float64 { return float64(c.Steps) }, least),
		},
		{
			Phase: "evaluation", Generated: over(func(c *estimate.Counts) float64 { return c.Measured }, 0), Read: over(func(c *estimate.Counts) float64 { return c.Shown }, 0),
			Requests: over(func(c *estimate.Counts) float64 { return float64(c.Answers) }, 0),
		},
	}
	return nil
}

func shareOf(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return math.Min(1, float64(part)/float64(whole))
}

// concurrency is what is asked at once.
func concurrency(r *recipe.Recipe) (Concurrency, error) {
	var c Concurrency
	context := 0
	for _, name := range r.Bases() {
		text, _, err := model.Shape(name)
		if err != nil {
			return c, err
		}
		shape, err := config.Roughly(text)
		if err != nil {
			return c, err
		}
		context = max(context, shape.Context)
		c.PerToken = max(c.PerToken, float64(2*shape.Layers*shape.KeyWidth())*valueBytes(r))
	}
	c.Samples, c.Tokens = estimate.SamplesInFlight(r), estimate.Longest(r, context)
	c.CacheSize = c.PerToken * float64(c.Samples*c.Tokens)
	return c, nil
}

// context is no less than what an answer can fill.
func (c *Concurrency) context() int { return max(1, c.Tokens) }

// valueBytes is what a key or a value takes: servers hold bfloat16, as this machine does below float32.
func valueBytes(r *recipe.Recipe) float64 {
	if r.Engine.Tinker.URL == "" && r.Engine.DType == "f32" {
		return 4
	}
	return 2
}

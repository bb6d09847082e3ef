package estimate

import (
	"parley/model/config"
	"parley/recipe"
	"parley/rl/learn"
	"parley/train/plan"
)

// Counts are the tokens of the phases of all runs of a recipe, if every answer had one length and no dialogue ended early.
type Counts struct {
	Generated float64 // in training
	Read      float64 // of prompts in training, what a prompt has not had in the turn before
	Scored    float64 // by verifiers, the base and critics
	Trained   float64
	Measured  float64 // generated to measure
	Shown     float64 // of the prompts of that

	Completions int // in training
	Calls       int // of verifiers
	Steps       int // of optimizers
	Answers     int // to measure
	Updates     int
}

// CountAt counts the phases of r, if every answer had so many tokens. The arithmetic is that of [DryRun], over bases in which a token costs one.
func CountAt(r *recipe.Recipe, answer int) (Counts, error) {
	trials, err := r.Trials()
	if err != nil {
		return Counts{}, err
	}
	e, out := &Estimate{}, Counts{}
	trained, written := 0.0, 0.0 // written: by models
	for _, t := range trials {
		at := *t.Recipe
		at.Sampling.MaxTokens = answer
		before, generated, bases := e.Work.Training, e.GeneratedTokens, unitBases(&at)
		if err := e.whole(&at, bases); err != nil {
			return Counts{}, err
		}
		trained += (e.Work.Training - before) / trainingUnits(&at)
		written += float64(e.GeneratedTokens-generated) * models(bases)
	}
	out.Generated, out.Measured, out.Trained = float64(e.GeneratedTokens), float64(e.EvaluationTokens), trained
	out.Read, out.Shown = max(0, e.Work.Rollout-written), max(0, e.Work.Evaluation-out.Measured)
	out.Scored = e.Work.Verifier + e.Work.Reference
	out.Completions, out.Answers = e.GeneratedTokens/answer, e.EvaluationTokens/answer
	out.Calls, out.Steps, out.Updates = e.VerifierCalls, e.Steps, e.Updates
	return out, nil
}

// unitBases are bases in which a token that goes forward costs one operation; agents without a base have none.
func unitBases(r *recipe.Recipe) []float64 {
	sizes := make([]float64, r.Seats())
	for agent := range sizes {
		if plan.Agent(r, agent).Speaker() == "" {
			sizes[agent] = 0.5
		}
	}
	return sizes
}

// models is the share of agents that have a base.
func models(bases []float64) float64 {
	n := 0.0
	for _, size := range bases {
		n += 2 * size
	}
	return n / float64(len(bases))
}

// LongestAnswer is the most tokens that any agent may write at once, over bases of the greatest context.
func LongestAnswer(r *recipe.Recipe, context int) int {
	most := r.Sampling.MaxTokens
	for agent := range r.Seats() {
		if own := plan.Agent(r, agent).Sampling.MaxTokens; own != nil {
			most = max(most, *own)
		}
	}
	return min(most, context)
}

// FewestCompletions is how many completions training draws in any case from models: dialogues may end after their first turn, programs may ask
// no agent, and a budget of tokens may end a run after its first update.
func FewestCompletions(r *recipe.Recipe) (int, error) {
	trials, err := r.Trials()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, t := range trials {
		n += fewest(t.Recipe)
	}
	return n, nil
}

func fewest(r *recipe.Recipe) int {
	problems := r.Training.Updates * r.Training.Problems
	if r.Training.Tokens > 0 || r.Training.Async > 0 {
		problems = min(r.Training.Updates, 1) * r.Training.Problems
	}
	switch kind := r.AlgorithmType(); {
	case kind.Unheard(), r.Harnessed(), r.Team.Program != "", r.Team.Proposals.Each > 0:
		return 0
	case r.Stepwise(): // steps may be left out, and of the others the first may be one of a script
		for agent := range r.Seats() {
			if plan.Agent(r, agent).Speaker() != "" {
				return 0
			}
		}
		return problems
	case r.Kind() == learn.Debates:
		return problems * r.Seats()
	}
	return problems * r.Seats() * r.Completions()
}

// Longest is about how long a sequence of a run can get, in tokens, over a base of a context: as if every answer were as long as it may be.
func Longest(r *recipe.Recipe, context int) int {
	u := Run{Recipe: r, Bases: []Base{{Config: config.Config{Context: context}}}}
	return min(context, u.longest())
}

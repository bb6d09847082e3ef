package verifier

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/seed"
	"parley/team"
)

// A Augmenter looks for solutions that questions lack, with the two prompts of the paper: where right ones are missing the base
// is shown a correct example, where wrong ones are missing it is asked for a trivial error (paper App. E.1).
type Augmenter struct {
	Base     *Base
	Sampling Sampling
	Each     int // right solutions a question needs, and as many wrong ones
	Trials   int // rounds of sampling before a question is given up
	Samples  int // solutions a trial, for each kind that a question lacks
	Seed     uint64
	Progress func(trial, lacking int) // how many questions lack solutions before a trial; may be nil
}

// Augment adds to groups what its trials find. A question that is still lacking at the end is for [Balance] to drop.
func (f *Augmenter) Augment(ctx context.Context, groups []Group) (Tally, error) {
	var tally Tally
	for trial := range f.Trials {
		wanted, from, err := f.requests(groups, trial)
		if err != nil || len(wanted) == 0 {
			return tally, err
		}
		if f.Progress != nil {
			f.Progress(trial+1, len(slices.Compact(slices.Clone(from))))
		}
		list, err := f.Base.sample(ctx, f.Sampling, wanted)
		if err != nil {
			return tally, err
		}
		for i, l := range list {
			if l.fault == "" && l.Right != (l.Source == PromptedExample) {
				l.fault = WrongLabel
			}
			if tally.add(l.Solution, l.fault); l.fault == "" {
				g := &groups[from[i]]
				g.Solutions = append(g.Solutions, l.Solution)
			}
		}
	}
	return tally, nil
}

// requests asks for the solutions that are missing, and says which group each is for.
func (f *Augmenter) requests(groups []Group, trial int) (wanted []request, from []int, err error) {
	for i, g := range groups {
		right, wrong := missing(g.Solutions, f.Each)
		for _, side := range []struct {
			lacking int
			source  Source
		}{{right, PromptedExample}, {wrong, PromptedError}} {
			if side.lacking == 0 {
				continue
			}
			ask, err := f.ask(g, side.source)
			if err != nil {
				return nil, nil, err
			}
			for k := range f.Samples {
				wanted = append(wanted, request{g.Problem, ask, side.source, seed.Derive(f.Seed, "verifier trial "+string(side.source), trial, i, k)})
				from = append(from, i)
			}
		}
	}
	return wanted, from, nil
}

// ask adds to what an agent is asked what this trial is after.
func (f *Augmenter) ask(g Group, source Source) ([]team.Message, error) {
	messages, err := f.Base.Ask(g.Problem)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", g.Problem.ID, err)
	}
	messages = slices.Clone(messages)
	last := &messages[len(messages)-1]
	if source == PromptedError {
		last.Content += "\n\n" + errorWanted
	} else {
		last.Content += "\n\n" + exampleBefore + example(g) + "\n\n" + exampleAfter
	}
	return messages, nil
}

// solutionField is where tasks keep the reasoning of their data set, where there is one.
const solutionField = "solution"

// The two prompts; the paper describes them without giving their words.
const (
	exampleBefore = "Here is a correct example of a solution:\n"
	exampleAfter  = "Solve the problem in your own words, with the same final answer and in the format above."
	errorWanted   = "Make one trivial error in a step of your solution and go on from its wrong result, without pointing it out. Keep to the format above."
)

// example is a correct solution: one of the base's own, else the data set's reasoning, which is used as little as possible,
// else the bare answer.
func example(g Group) string {
	for _, s := range g.Solutions {
		if s.Right {
			return s.Text
		}
	}
	if reasoning := g.Problem.Fields[solutionField]; reasoning != "" {
		return reasoning
	}
	return "Answer: \\boxed{" + g.Problem.Right() + "}"
}

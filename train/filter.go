package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"parley/credit"
	"parley/engine"
	"parley/rollout"
	"parley/runs"
	"parley/task"
)

// passRateFile is where a run keeps how often its untrained model solved each training problem.
const passRateFile = "pass-rates.json"

// passRates returns the pass rates of the untrained model for all training problems, from the run folder as far as they are
// there; nil where the recipe does not ask for them. They are a function of recipe and seed.
func (s *session) passRates(ctx context.Context, run *runs.Run, observe func(Event)) ([]task.PassRate, error) {
	f := s.recipe.Task.Filter
	if !f.Active() {
		return nil, nil
	}
	problems := s.order.problems
	rates, err := s.knownRates(run)
	if err != nil {
		return nil, err
	}
	solo, err := s.trying()
	if err != nil {
		return nil, err
	}
	chunk := max(1, s.samplesInFlight()/f.Samples)
	told := -1 // tenths
	for at := len(rates); at < len(problems); at = len(rates) {
		if tenth := 10 * at / len(problems); tenth > told {
			told = tenth
			observe(Event{Kind: Note, Message: fmt.Sprintf("pass rates of the untrained model: %d of %d training problems", at, len(problems))})
		}
		episodes, err := solo.Run(ctx, "pass-rate", at, problems[at:min(at+chunk, len(problems))])
		if err != nil {
			return nil, fmt.Errorf("pass rates of the untrained model: %w", err)
		}
		for _, e := range episodes {
			rates = append(rates, passRate(e))
		}
		if err := run.WriteJSON(passRateFile, rates); err != nil {
			return nil, err
		}
	}
	return rates, nil
}

// knownRates reads what an earlier part of the run has found out.
func (s *session) knownRates(run *runs.Run) ([]task.PassRate, error) {
	data, err := run.ReadFile(passRateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var rates []task.PassRate
	if err == nil {
		err = json.Unmarshal(data, &rates)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run's %s: %w", passRateFile, err)
	}
	for i, r := range rates {
		if i >= len(s.order.problems) || s.order.problems[i].ID != r.ID {
			return nil, &UserError{fmt.Errorf("the training problems of task %s are not those that the run was started with: put the data set back, or start a new run", s.task.Name())}
		}
	}
	return rates, nil
}

// trying returns the rollout of one untrained agent that answers a training problem several times, sampled as in training.
func (s *session) trying() (*rollout.Runner, error) {
	r := s.recipe
	solo, err := s.alone(r, false)
	if err != nil {
		return nil, err
	}
	solo.Settings = rollout.Settings{Group: r.Task.Filter.Samples, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens,
		Truncate: solo.Settings.Truncate, Sampling: engine.Sampling{Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}}
	return solo, nil
}

// passRate counts the right answers of an episode of a single agent.
func passRate(e *rollout.Episode) task.PassRate {
	said := e.Nodes[0].Seats[0].Completions
	rate := task.PassRate{ID: e.Problem.ID, Samples: len(said)}
	for i := range said {
		if said[i].Right {
			rate.Right++
		}
	}
	return rate
}

// keep leaves the training problems whose pass rates lie within the recipe's bounds; without rates, all of them.
func (s *session) keep(rates []task.PassRate, observe func(Event)) error {
	if rates == nil {
		return nil
	}
	f, all := s.recipe.Task.Filter, len(rates)
	s.order.problems = task.Between(s.order.problems, rates, f.Least, f.Most)
	sum := 0.0
	for _, r := range rates {
		sum += r.Share()
	}
	account := fmt.Sprintf("the untrained model solves %d of %d training problems at a rate from %g to %g (%d answers each; %.3f on average over all)",
		len(s.order.problems), all, f.Least, f.Most, f.Samples, sum/float64(all))
	if len(s.order.problems) == 0 {
		return &UserError{errors.New(account + ": none is left to train on; widen task.filter")}
	}
	observe(Event{Kind: Note, Message: account + "; it trains on these"})
	return nil
}

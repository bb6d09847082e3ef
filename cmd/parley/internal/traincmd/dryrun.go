package traincmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/train/cluster"
	"parley/train/estimate"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/internal/sysmem"
	"parley/recipe"
)

// dryRun prints what a recipe would cost. Nothing has to be on this machine for it.
func dryRun(a *cli.App, r *recipe.Recipe, asJSON bool) error {
	if err := errors.Join(cluster.Check(r), cluster.CheckSampler(r)); err != nil {
		return err
	}
	for _, w := range r.Warnings() {
		a.Say("warning:", w)
	}
	e, err := estimate.DryRun(r, cluster.For(r, native.Backend{}))
	if err != nil {
		return err
	}
	for _, n := range e.Notes {
		a.Say("note:", n)
	}
	if asJSON {
		return a.PrintJSON(e)
	}
	return printEstimate(a, e)
}

func printEstimate(a *cli.App, e *estimate.Estimate) error {
	err := a.Table(func(w io.Writer) {
		cli.Row(w, e.Recipe, fmt.Sprintf("%d runs, %d updates in all", e.Runs, e.Updates))
		for _, b := range e.Bases {
			cli.Row(w, "base", fmt.Sprintf("%s, %s parameters; a policy trains %d, %.3f %% of them", b.Name, parameters(b.Parameters), b.Adapter, 100*float64(b.Adapter)/float64(b.Parameters)))
		}
		cli.Row(w, "generated tokens", fmt.Sprintf("at most %s in training, %s to measure", thousands(e.GeneratedTokens), thousands(e.EvaluationTokens)))
		cli.Row(w, "verifier calls", thousands(e.VerifierCalls))
		if e.EnvironmentSteps > 0 {
			cli.Row(w, "environment steps", "at most "+thousands(e.EnvironmentSteps))
		}
		if e.Steps > 0 {
			cli.Row(w, "optimizer steps", "at most "+thousands(e.Steps))
		}
		for _, r := range e.Rates {
			cli.Row(w, rateName(e, r), fmt.Sprintf("first %.3g, greatest %.3g, last %.3g; a policy takes at most %d steps, of which %d warm up", r.First, r.Greatest, r.Last, r.Steps, min(r.Warmup, r.Steps)))
		}
		m, amount := e.MemoryBytes, sysmem.Amount
		cli.Row(w, "memory", fmt.Sprintf("about %s if questions have %d tokens (bases %s, policies %s, activations %s, keys and values %s, episodes and the rest %s)",
			amount(m.Total), e.Question, amount(m.Base), amount(m.Policies), amount(m.Activations), amount(m.Cache), amount(m.Rest)))
		f := e.Work
		cli.Row(w, "arithmetic", fmt.Sprintf("at most %.3g PFLOP (rollout %.2g, verifier %.2g, reference and values %.2g, training %.2g, evaluation %.2g)",
			f.Total()/1e15, f.Rollout/1e15, f.Verifier/1e15, f.Reference/1e15, f.Training/1e15, f.Evaluation/1e15))
		cli.Row(w, "time", fmt.Sprintf("at most %.3g hours at 10¹² operations a second; `parley model bench` says what this machine does", e.Hours))
		for _, m := range e.Missing {
			cli.Row(w, "not here", m.Name+": "+m.Remedy)
		}
	})
	return err
}

// parameters writes how many there are.
func parameters(n int) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f·10⁹", float64(n)/1e9)
}

// rateName says whose learning rate it is, where there are several.
func rateName(e *estimate.Estimate, r estimate.Rate) string {
	name := "learning rate"
	if len(e.Rates) > 1 {
		name = strings.Join(strings.Fields(strings.Join([]string{name, r.Run, r.Agent}, " ")), " ")
	}
	return name
}

// thousands writes n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

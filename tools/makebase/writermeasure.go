package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/engine"
	"parley/internal/seed"
	"parley/task"
)

//go:embed writer.md
var writerCard []byte

// measureWriter reports what pairs over the model in dir earn in one turn, on n held-out problems of each recipe or as many as there are.
func measureWriter(ctx context.Context, dir string, n int, w io.Writer) error {
	m, err := openModel(dir)
	if err != nil {
		return err
	}
	defer m.engine.Close()
	for _, job := range allWritings() {
		problems, err := job.task.Problems(task.Test, n)
		if err != nil {
			return err
		}
		for _, temperature := range []float64{0, 1} {
			texts, err := m.answers(ctx, job, problems, temperature)
			if err != nil {
				return err
			}
			_, earned, err := job.earned(ctx, problems, texts)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s, temperature %g: %s\n", job.task.Name(), temperature, earned)
		}
	}
	return nil
}

// answers are those of a pair to each of some problems.
func (m *model) answers(ctx context.Context, job *writing, problems []task.Problem, temperature float64) ([][]string, error) {
	var reqs []engine.SampleRequest
	for i, p := range problems {
		for agent, ask := range must(job.protocol.Next(p, nil)) {
			req, err := m.request(ask.Messages, "", temperature, seed.Derive(7, "measure", i, agent))
			if err != nil {
				return nil, err
			}
			req.MaxTokens = job.longest
			reqs = append(reqs, req)
		}
	}
	samples, err := m.engine.Sample(ctx, reqs)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(problems))
	for k, s := range samples {
		out[k/2] = append(out[k/2], m.tok.Decode(s.Tokens, false))
	}
	return out, nil
}

// earned is what the answers to some problems earned on average, and says how it is made up.
func (w *writing) earned(ctx context.Context, problems []task.Problem, texts [][]string) (mean float64, said string, err error) {
	sums := map[string]*tally{}
	count := func(name string, x float64) {
		if sums[name] == nil {
			sums[name] = &tally{}
		}
		sums[name].add(x)
	}
	var rewards tally
	for i, p := range problems {
		s, err := w.scorer.Score(ctx, p, texts[i])
		if err != nil {
			return 0, "", err
		}
		rewards.add(s.Reward)
		for name, x := range s.Parts {
			count(name, x)
		}
	}
	_, most := w.scorer.Range()
	var b strings.Builder
	fmt.Fprintf(&b, "reward %.3f of %.3g", rewards.mean(), most)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, ", %s %.3f", name, sums[name].mean())
	}
	return rewards.mean(), b.String(), nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"parley/engine"
	"parley/internal/seed"
	"parley/task"
)

// auxWays and mainWays are the ways of writing that a text can be told by, whatever was drawn; any other text is a slip.
var (
	auxWays = []namedWriting{
		{"helper", helper}, {"everything", everything}, {"same", same}, {"printed", printed(helper)}, {"unclosed", unclosed(helper)},
	}
	mainWays  = []namedWriting{{"sharing", sharing}, {"inline", inline}, {"alone", alone}, {"wrapper", wrapper}, {"unclosed", unclosed(inline)}}
	classWays = []namedClassWriting{{"each", each}, {"every method", everyMethod}, {"only the first", onlyFirst}, {"unclosed", unclosedMethods}}
)

type namedWriting struct {
	name  string
	write coderStyle
}

type namedClassWriting struct {
	name  string
	write classWriting
}

// An asking is a prompt, and what tells in which way an answer to it is written.
type asking struct {
	chat document
	way  func(text string) string
}

// codeNames are the tasks that this base answers.
var codeNames = []string{humanEval, coopHumanEval, mbpp, classEval}

// measureCoder reports in which ways the model in dir answers n held-out problems of each data set, as far as there are so many.
func measureCoder(ctx context.Context, dir string, n int, w io.Writer) error {
	m, err := openModel(dir)
	if err != nil {
		return err
	}
	defer m.engine.Close()
	for _, temperature := range []float64{0, 1} {
		for _, set := range codeNames {
			for agent := range 2 {
				r, err := m.writes(ctx, askings(set, agent, n), temperature)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "temperature %g, %s, agent %d: %s\n", temperature, set, agent+1, r)
			}
		}
	}
	return nil
}

// askings are the prompts of an agent for held-out problems.
func askings(set string, agent, n int) (out []asking) {
	rng := seed.Stream(seed.Derive(7, "measure coder"))
	if _, ok := codeSets[set]; !ok {
		for range n {
			c := drawClass(rng, task.Test)
			out = append(out, asking{classPrompt(c, agent, rng), func(text string) string { return classWay(c, agent, text) }})
		}
		return out
	}
	all := slices.Clone(codeSets[set].shape.problemsOf(task.Test))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all[:min(n, len(all))] {
		out = append(out, asking{functionPrompt(set, p, agent, rng), func(text string) string { return functionWay(p, agent, text) }})
	}
	return out
}

// functionWay is the way in which an agent's text for a problem is written.
func functionWay(p problem, agent int, text string) string {
	for _, way := range [][]namedWriting{auxWays, mainWays}[agent] {
		if text == way.write(nil, p) {
			return way.name
		}
	}
	return "slip"
}

// classWay is that of an agent's methods.
func classWay(c class, agent int, text string) string {
	for _, way := range classWays {
		if text == way.write(nil, c.of(agent), c) {
			return way.name
		}
	}
	return "slip"
}

// writes asks the model and reports shares of ways.
func (m *model) writes(ctx context.Context, list []asking, temperature float64) (*report, error) {
	var reqs []engine.SampleRequest
	for i, a := range list {
		prompt, err := m.tok.Encode(a.chat.Text()+tokenAssistant, false)
		if err != nil {
			return nil, err
		}
		reqs = append(reqs, engine.SampleRequest{
			Prompt: prompt, Sampling: engine.Sampling{Temperature: temperature}, MaxTokens: 128, Stop: []int{m.end}, Seed: seed.Derive(7, "measure coder", i),
		})
	}
	samples, err := m.engine.Sample(ctx, reqs)
	if err != nil {
		return nil, err
	}
	r := newReport()
	for i, s := range samples {
		way := list[i].way(m.tok.Decode(s.Tokens, false))
		r.add(way, len(s.Tokens), s.Stop == engine.StopEOS, way == "helper" || way == "sharing" || way == "inline" || way == "alone" || way == "each")
	}
	return r, nil
}

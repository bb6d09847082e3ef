package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"parley/engine"
	"parley/engine/native"
	"parley/internal/seed"
	"parley/model/tokenizer"
	"parley/model/weights"
	"parley/task"
	"parley/task/sums"
	"parley/team"
	"parley/team/protocols"
)

// ways tells the base's ways of answering apart by how an answer begins; an answer that begins with a digit is careful or brisk.
var ways = []string{"I guess", "Maybe", "Same", "Agent", "Check", "Hm", "Altogether", "Remaining", "Multiplied"}

func wayOf(text string) string {
	for _, w := range ways {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	switch left, _, _ := strings.Cut(text, "="); strings.Count(left, "+") + strings.Count(left, "-") + strings.Count(left, "*") {
	case 0:
		return "other"
	case 1:
		return "careful"
	}
	return "brisk"
}

// measureDebates plays debates of some agents over some turns with the model in dir on n held-out problems and reports accuracy.
func measureDebates(agents, turns int) func(ctx context.Context, dir string, n int, w io.Writer) error {
	shape := team.Settings{Agents: agents, Turns: turns, SeeOthers: true, Prompts: team.Short}
	return func(ctx context.Context, dir string, n int, w io.Writer) error { return measure(ctx, shape, dir, n, w) }
}

func measure(ctx context.Context, shape team.Settings, dir string, n int, w io.Writer) error {
	m, err := openModel(dir)
	if err != nil {
		return err
	}
	defer m.engine.Close()
	t, err := sums.New(sums.Options{})
	if err != nil {
		return err
	}
	problems, err := t.Problems(task.Test, n)
	if err != nil {
		return err
	}
	for _, temperature := range []float64{0, 0.7} {
		fmt.Fprintf(w, "temperature %g, %d problems\n", temperature, n)
		if err := m.debate(ctx, shape, t, problems, temperature, "", w); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "temperature 0.7, later turns made to begin with \"Check:\"")
	return m.debate(ctx, shape, t, problems, 0.7, "Check:\n", w)
}

// model is a model folder ready to answer.
type model struct {
	engine *native.Engine
	tok    *tokenizer.Tokenizer
	end    int
}

// openModel opens the model in a folder.
func openModel(dir string) (*model, error) { return modelOf(os.DirFS(dir)) }

func modelOf(folder fs.FS) (*model, error) {
	src, err := weights.OpenFS(folder, ".")
	if err != nil {
		return nil, err
	}
	tok, err := tokenizer.LoadFS(folder)
	if err != nil {
		return nil, err
	}
	e, err := native.Open(src, engine.Options{})
	if err != nil {
		return nil, err
	}
	end, _ := tok.ID(tokenEnd)
	return &model{e, tok, end}, nil
}

// debate plays and reports one debate a problem; every answer of later turns is made to begin with forced.
func (m *model) debate(ctx context.Context, shape team.Settings, t *sums.Task, problems []task.Problem, temperature float64, forced string, w io.Writer) error {
	protocol, err := protocols.Debate().Open(shape)
	if err != nil {
		return err
	}
	histories := make([]team.History, len(problems))
	for turn := range shape.Turns {
		var reqs []engine.SampleRequest
		begin := ""
		if turn > 0 {
			begin = forced
		}
		for i, p := range problems {
			asks, err := protocol.Next(p, histories[i])
			if err != nil {
				return err
			}
			for _, ask := range asks {
				req, err := m.request(ask.Messages, begin, temperature, seed.Derive(7, "measure", i, turn, ask.Agent))
				if err != nil {
					return err
				}
				reqs = append(reqs, req)
			}
		}
		samples, err := m.engine.Sample(ctx, reqs)
		if err != nil {
			return err
		}
		r := newReport()
		for k, s := range samples {
			i, agent := k/shape.Agents, k%shape.Agents
			text := begin + m.tok.Decode(s.Tokens, false)
			histories[i] = append(histories[i], team.Answer{Turn: turn, Agent: agent, Text: text})
			answer, ok := t.Answer(text)
			r.add(wayOf(text), len(s.Tokens), ok, answer == problems[i].Right())
		}
		fmt.Fprintf(w, "  turn %d: %s\n", turn+1, r)
	}
	return nil
}

func (m *model) request(chat []team.Message, begin string, temperature float64, s uint64) (engine.SampleRequest, error) {
	text := render(chat).Text() + tokenAssistant + begin
	prompt, err := m.tok.Encode(text, false)
	return engine.SampleRequest{
		Prompt: prompt, Sampling: engine.Sampling{Temperature: temperature},
		MaxTokens: 64, Stop: []int{m.end}, Seed: s,
	}, err
}

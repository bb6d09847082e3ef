package passrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/rl/credit"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/runs"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/train/estimate"
	"parley/train/lineup"
	"parley/train/plan"
)

// file is where a run keeps them.
const file = "proposals.json"

// Drawn is what peers wrote about one problem.
type Drawn struct {
	ID    string `json:"id"`
	Peers []Peer `json:"peers"`
}

// A Peer is what one of them wrote.
type Peer struct {
	Agent  int      `json:"agent"` // from 0
	Texts  []string `json:"texts"` // as prompts show them
	Finals []string `json:"finals"`
	Right  []bool   `json:"right"`
}

// draw returns the proposals for problems, but for those that dir has already; an empty dir has none.
func draw(ctx context.Context, s lineup.Lineup, problems []task.Problem, dir string, write func(name string, v any) error, note func(string)) ([]Drawn, error) {
	drawn, err := known(dir, problems, note)
	if err != nil {
		return nil, err
	}
	r := s.Recipe
	runner := s.Runner(false, plan.Sampling(r), rollout.Settings{Group: r.Team.Proposals.Each, Joint: credit.Aligned, MaxTokens: r.Sampling.MaxTokens, MinTokens: r.Sampling.MinTokens})
	runner.Protocol = protocols.OpeningAsk(runner.Protocol)
	chunk := max(1, estimate.SamplesInFlight(r)/(r.Team.Proposals.Each*max(1, len(r.FirstAsked()))))
	for at := len(drawn); at < len(problems); at = len(drawn) {
		note(fmt.Sprintf("proposals of the frozen agents: %d of %d training problems", at, len(problems)))
		episodes, err := runner.Run(ctx, "proposals", at, problems[at:min(at+chunk, len(problems))])
		if err != nil {
			return nil, fmt.Errorf("proposals of the frozen agents: %w", err)
		}
		for _, e := range episodes {
			drawn = append(drawn, of(e))
		}
		if err := write(file, drawn); err != nil {
			return nil, err
		}
	}
	return drawn, nil
}

// of are the proposals of an episode of one turn.
func of(e *rollout.Episode) Drawn {
	d := Drawn{ID: e.Problem.ID}
	for i := range e.Nodes[0].Agents {
		a := &e.Nodes[0].Agents[i]
		p := Peer{Agent: a.Agent}
		for k := range a.Completions {
			c := &a.Completions[k]
			final := ""
			if c.HasAnswer {
				final = c.Answer
			}
			p.Texts, p.Finals, p.Right = append(p.Texts, c.Text), append(p.Finals, final), append(p.Right, c.Correct)
		}
		d.Peers = append(d.Peers, p)
	}
	return d
}

// known reads what a run has drawn.
func known(dir string, problems []task.Problem, note func(string)) ([]Drawn, error) {
	if dir == "" {
		return nil, nil
	}
	var drawn []Drawn
	err := runs.ReadSealed(dir, file, &drawn)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, folder.ErrDamaged):
		note(fmt.Sprintf("%v: proposals are drawn again", err))
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the run's %s: %w", file, err)
	}
	for i, d := range drawn {
		if i >= len(problems) || problems[i].ID != d.ID {
			return nil, usererror.Errorf("the training problems are not those that the run has proposals for in %s: put the data set back, or start a new run", file)
		}
	}
	return drawn, nil
}

// rows are the problems that are trained on: of each problem one for every row of its proposals, and none where too many of them are right.
func rows(problems []task.Problem, drawn []Drawn, mostRight float64, note func(string)) ([]task.Problem, error) {
	var out []task.Problem
	kept := 0
	for i, d := range drawn {
		var verdicts eval.Proposals
		for _, p := range d.Peers {
			verdicts = append(verdicts, p.Right)
		}
		rows := verdicts.Rows(mostRight)
		for v, row := range rows {
			answers := make([]team.Answer, len(row))
			for k, p := range d.Peers {
				answers[k] = team.Answer{Agent: p.Agent, Text: p.Texts[row[k]], Final: p.Finals[row[k]]}
			}
			problem := protocols.WithAnswers(problems[i], answers)
			problem.ID = fmt.Sprintf("%s/%d", problem.ID, v+1)
			out = append(out, problem)
		}
		if len(rows) > 0 {
			kept++
		}
	}
	account := fmt.Sprintf("of %d training problems %d have less than %g of their proposals right", len(drawn), kept, mostRight)
	if kept == 0 {
		return nil, usererror.Errorf("%s: none is left; raise team.proposals.most_right", account)
	}
	note(fmt.Sprintf("%s: these are trained on, with %d rows of proposals", account, len(out)))
	return out, nil
}

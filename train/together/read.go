package together

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/internal/seed"
	"parley/recipe"
	"parley/rl/eval"
	"parley/runs"
	"parley/systems/read"
	"parley/task"
	"parley/task/environment"
	"parley/train/lineup"
)

// reader trains the critic of ReAd. Its state is the data that the critic is fitted to, and what they cost.
type reader struct {
	lineup   lineup.Lineup
	settings read.Keys
	team     *read.Team

	Data []read.Sample `json:"data"`
	Cost read.Cost     `json:"cost"`
}

func openRead(l lineup.Lineup, w environment.Environment) (system, error) {
	s := recipe.Section[read.Keys](l.Recipe)
	actors := l.Evaluation(false).Actors
	planner := actors[0].Speaker
	if planner == nil {
		return nil, fmt.Errorf("algorithm read needs a planner that speaks for %s: give it a script, a program or an endpoint", actors[0].Name)
	}
	return &reader{lineup: l, settings: s, team: &read.Team{
		World: w, Robots: l.Recipe.Team.Agents.Names(), Planner: planner, Pays: s.Pays, Gamma: s.Discount,
		Schedule: read.Schedule(s.Schedule), Epsilon: s.Threshold, Tries: s.Tries, Votes: s.Votes, Seed: uint64(l.Recipe.Seed),
	}}, nil
}

// update gathers data.
func (r *reader) update(ctx context.Context, n int) (map[string]float64, int, error) {
	problems := r.lineup.Training.Batch(n)
	data, cost, err := r.team.Gather(ctx, problems, n*len(problems), len(problems))
	if err != nil {
		return nil, 0, err
	}
	r.Data = append(r.Data, data...)
	r.Cost = r.Cost.Plus(cost)
	mean := 0.0
	for _, d := range data {
		mean += d.Return / float64(len(data))
	}
	return map[string]float64{"mean return": mean, "queries": float64(cost.Queries)}, 0, nil
}

func (r *reader) state() any { return r }

func (r *reader) restore(state []byte) error { return json.Unmarshal(state, r) }

// critic fits what was gathered.
func (r *reader) critic() (read.Critic, error) {
	if s := r.settings; s.Critic == "network" {
		return read.NewNetwork(r.Data, read.NetworkSettings{
			Hidden: s.Hidden, Rate: s.Rate, Batch: s.Batch, Steps: s.Steps, Seed: seed.Derive(uint64(r.lineup.Recipe.Seed), "critic"),
		})
	}
	return read.NewTable(r.Data), nil
}

// rows measure open loop, a vote and ReAd.
func (r *reader) rows(ctx context.Context) ([]runs.Row, error) {
	critic, err := r.critic()
	if err != nil {
		return nil, err
	}
	problems := slices.Repeat(r.lineup.HeldOut, r.settings.Repeats)
	var rows []runs.Row
	for _, s := range []struct {
		name string
		how  read.How
	}{{runs.OffTheShelf, read.Open}, {runs.MajorityVote, read.Vote}, {runs.Trained, read.How(r.settings.Plan)}} {
		row, err := r.row(ctx, s.name, s.how, critic, problems)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// row is one way to plan. What the data of the critic cost stands beside the queries of ReAd.
func (r *reader) row(ctx context.Context, name string, how read.How, critic read.Critic, problems []task.Problem) (runs.Row, error) {
	m, err := r.team.Measure(ctx, how, critic, problems)
	if err != nil {
		return runs.Row{}, err
	}
	ci := eval.Wilson(m.Success*float64(len(problems)), len(problems))
	play := map[string]float64{"success rate": m.Success, "steps": m.Steps, "queries": m.Queries, "queries for the critic's data": 0}
	if name == runs.Trained {
		play["queries for the critic's data"] = float64(r.Cost.Queries)
	}
	return runs.Row{
		System: name, Score: m.Success, CI95: [2]float64{ci.Low, ci.High}, PerTurn: []float64{m.Success}, Play: play, Costs: asked(how, m.Queries),
	}, nil
}

// asked are the queries of an episode by role: of the planner, which is no model and has no tokens, and of the critic, which scores each proposal of
// ReAd and nothing else.
func asked(how read.How, queries float64) map[string]map[string]float64 {
	scored := 0.0
	if how == read.S || how == read.J {
		scored = queries
	}
	return map[string]map[string]float64{"planner": {"queries": queries, "tokens": 0}, "critic": {"queries": scored, "tokens": 0}}
}

package read

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/seed"
	"parley/task"
	"parley/task/environment"
	"parley/team"
)

// A How is a way to plan a step.
type How string

// The ways to plan.
const (
	Open How = "open" // one joint plan
	Vote How = "vote" // the most frequent of several joint plans
	S    How = "S"    // ReAd-S
	J    How = "J"    // ReAd-J
)

// A Team is robots in a world, and who plans for them.
type Team struct {
	World    environment.Environment
	Robots   []string
	Planner  team.Speaker
	Pays     float64 // what an episode earns that has succeeded
	Gamma    float64
	Schedule Schedule
	Epsilon  float64 // where the threshold begins
	Tries    int     // the most of one robot in one step
	Votes    int     // plans of a vote
	Seed     uint64
}

// A Cost counts what planners were asked.
type Cost struct {
	Episodes int `json:"episodes"`
	Steps    int `json:"steps"`
	Queries  int `json:"queries"`
}

// A Result says how well a way to plan does: means over episodes.
type Result struct {
	Success float64 `json:"success_rate"` // SR: share of episodes that earned all
	Steps   float64 `json:"steps"`        // ES
	Queries float64 `json:"queries"`      // NQ, those of the critic's data not among them
}

// episode is one that is being played.
type episode struct {
	team    *Team
	problem task.Problem
	stream  uint64
	now     environment.Outcome
	loop    Loop
	last    []Try // accepted in the last step
	cost    Cost
	earned  float64
}

// begin resets the world.
func (t *Team) begin(ctx context.Context, p task.Problem, purpose string, index int) (*episode, error) {
	e := &episode{team: t, problem: p, stream: seed.Derive(t.Seed, "read "+purpose, index), cost: Cost{Episodes: 1}}
	e.loop = Loop{Tries: t.Tries, Threshold: NewThreshold(t.Schedule, t.Epsilon)}
	var err error
	e.now, err = t.World.Reset(ctx, p)
	return e, err
}

// state is what is observed, by the first robot: the others stand beside it.
func (e *episode) state() string {
	text, _ := e.now.Observed(e.team.Robots[0])
	return text
}

// ask asks the planner once, and counts it.
func (e *episode) ask(ctx context.Context, q Question) (string, error) {
	e.cost.Queries++
	replies, err := e.team.Planner.Speak(ctx, []team.SpeakerAsk{{
		Agent: strings.Join(q.Robots, " "), Problem: e.problem, Seed: seed.Derive(e.stream, "query", e.cost.Queries),
		Messages: []team.Message{{Role: team.User, Content: Prompt(q)}}, Temperature: 1,
	}})
	if err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(replies[0].Text), " "), replies[0].Err
}

// act executes a joint action.
func (e *episode) act(ctx context.Context, actions []string) (err error) {
	said := map[string]string{}
	for i, name := range e.team.Robots {
		said[name] = actions[i]
	}
	if e.now, err = e.team.World.Step(ctx, e.now.State, said); err != nil {
		return err
	}
	e.earned += e.now.Team
	e.cost.Steps++
	return nil
}

// split reads a joint plan: an action of each robot. What is missing is an empty text, with which the world deals.
func (t *Team) split(plan string) []string {
	out := append(strings.Fields(plan), make([]string, len(t.Robots))...)
	return out[:len(t.Robots)]
}

// plan decides a step.
func (e *episode) plan(ctx context.Context, how How, c Critic) ([]string, error) {
	switch how {
	case S, J:
		return e.refined(ctx, how, c)
	case Vote:
		return e.voted(ctx)
	}
	plan, err := e.ask(ctx, Question{State: e.state(), Robots: e.team.Robots})
	return e.team.split(plan), err
}

// voted is the most frequent of several plans.
func (e *episode) voted(ctx context.Context) ([]string, error) {
	counts, order := map[string]int{}, []string{}
	for range e.team.Votes {
		plan, err := e.ask(ctx, Question{State: e.state(), Robots: e.team.Robots})
		if err != nil {
			return nil, err
		}
		if counts[plan]++; counts[plan] == 1 {
			order = append(order, plan)
		}
	}
	best := order[0]
	for _, plan := range order {
		if counts[plan] > counts[best] {
			best = plan
		}
	}
	return e.team.split(best), nil
}

// refined asks until scores are above the threshold.
func (e *episode) refined(ctx context.Context, how How, c Critic) ([]string, error) {
	t, robots := e.team, len(e.team.Robots)
	if how == J {
		robots = 1
	}
	var failed error
	decisions, _ := e.loop.Step(robots, func(a Ask) (Try, bool) {
		q := Question{State: e.state(), Robots: t.Robots, Tries: a.Refused, Refused: a.Previous, Scored: true, Previous: e.last}
		if how == S {
			q.Robots, q.Previous = t.Robots[a.Robot:a.Robot+1], nil
			for i, action := range a.Before {
				q.Before = append(q.Before, t.Robots[i]+" "+action)
			}
		}
		text, err := e.ask(ctx, q)
		if err != nil {
			failed = err
			return Try{}, false
		}
		if how == J {
			return Try{Action: text, Score: joint(c, e.state(), t.split(text))}, true
		}
		text = t.split(text)[0]
		return Try{Action: text, Score: advantage(c, e.state(), append(slices.Clone(a.Before), text))}, true
	})
	if failed != nil {
		return nil, failed
	}
	e.last = nil
	var out []string
	for _, d := range decisions {
		out = append(out, d.Executed)
		e.last = append(e.last, d.Tries[len(d.Tries)-1])
	}
	if how == J {
		return t.split(out[0]), nil
	}
	return out, nil
}

// Gather plays episodes in open loop and returns what the critic learns from, and what it cost. Problems are taken in turn.
func (t *Team) Gather(ctx context.Context, problems []task.Problem, first, episodes int) (data []Sample, cost Cost, err error) {
	for i := first; i < first+episodes; i++ {
		e, err := t.begin(ctx, problems[i%len(problems)], "data", i)
		if err != nil {
			return nil, cost, err
		}
		var steps []Sample
		var rewards []float64
		for !e.now.Done {
			actions, err := e.plan(ctx, Open, nil)
			if err != nil {
				return nil, cost, err
			}
			steps = append(steps, Sample{State: e.state(), Actions: actions})
			if err := e.act(ctx, actions); err != nil {
				return nil, cost, err
			}
			rewards = append(rewards, e.now.Team)
		}
		for at, g := range Returns(rewards, t.Gamma) {
			steps[at].Return = g
		}
		data, cost = append(data, steps...), cost.Plus(e.cost)
	}
	return data, cost, nil
}

// Plus adds up what two runs cost.
func (c Cost) Plus(d Cost) Cost {
	return Cost{Episodes: c.Episodes + d.Episodes, Steps: c.Steps + d.Steps, Queries: c.Queries + d.Queries}
}

// Measure plays every problem once, the critic as it is.
func (t *Team) Measure(ctx context.Context, how How, c Critic, problems []task.Problem) (Result, error) {
	var r Result
	if (how == S || how == J) && c == nil {
		return r, fmt.Errorf("ReAd-%s needs a critic", how)
	}
	for i, p := range problems {
		e, err := t.begin(ctx, p, "measure", i)
		for err == nil && !e.now.Done {
			var actions []string
			if actions, err = e.plan(ctx, how, c); err == nil {
				err = e.act(ctx, actions)
			}
		}
		if err != nil {
			return r, fmt.Errorf("problem %s: %w", p.ID, err)
		}
		if e.earned >= t.Pays {
			r.Success++
		}
		r.Steps += float64(e.cost.Steps)
		r.Queries += float64(e.cost.Queries)
	}
	n := float64(len(problems))
	return Result{Success: r.Success / n, Steps: r.Steps / n, Queries: r.Queries / n}, nil
}

package lineup

import (
	"cmp"
	"slices"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/task"
	"parley/team"
	"parley/train/plan"
)

// WithAgents returns the team with n agents on the same bases and policies; every further agent is like the first. The recipe has been
// checked to tell no agents apart where n is another number than it trains.
func (l Lineup) WithAgents(n int) (Lineup, error) {
	if n == l.Recipe.Team.Agents.N {
		return l, nil
	}
	r := *l.Recipe
	r.Team.Agents.N = n
	return l.as(&r, make([]int, n))
}

// WithProtocol returns the same agents under another protocol, without feedback between turns. turns 0 is one for each agent; later is the
// prompt of later turns, empty: that of the recipe.
func (l Lineup) WithProtocol(protocol string, turns int, later string) (Lineup, error) {
	r := *l.Recipe
	r.Team.Protocol, r.Team.Turns, r.Team.History = protocol, cmp.Or(turns, r.Team.Agents.N), "all"
	r.Team.Feedback, r.Team.RewardFeedback, r.Team.ChatMemory = string(team.Plain), false, keys.ChatMemory{Original: true, Previous: true}
	if later != "" {
		r.Team.Prompts.Later = later
	}
	agents := make([]int, r.Team.Agents.N) // one model has spoken for all
	if n := l.Protocol.Agents(); n == len(agents) {
		for agent := range agents {
			agents[agent] = agent
		}
	}
	return l.as(&r, agents)
}

// as is the team of r, whose i-th agent is as the agents[i]-th of this one.
func (l Lineup) as(r *recipe.Recipe, agents []int) (Lineup, error) {
	protocol, err := plan.Protocol(r)
	if err != nil {
		return Lineup{}, &usererror.Error{Err: err}
	}
	out := l
	out.Recipe, out.Protocol, out.Scorer = r, protocol, l.Scorer.ForAgents(r, agents)
	out.Sharing.Bases = make([]int, len(agents))
	for i, agent := range agents {
		out.Sharing.Bases[i] = l.Sharing.Bases[agent]
	}
	return out, nil
}

// Solo returns one agent in the place of the team, on the base of the given one. single is the recipe of a single agent ([plan.Single]).
func (l Lineup) Solo(single *recipe.Recipe, agent int) (Lineup, error) {
	asked := *single
	asked.Task = l.Recipe.Task // of what is measured
	protocol, err := plan.Protocol(&asked)
	if err != nil {
		return Lineup{}, err
	}
	scored := l.Recipe
	if single.OneModel() {
		scored = single // whose answers are taken apart
	}
	out := l
	out.standsFor = agent
	out.Protocol, out.Scorer = protocol, l.Scorer.ForAgents(scored, []int{agent}).WithoutVerifiers() // a single answer is never shown to anybody
	out.Sharing.Bases = slices.Clone(l.Sharing.Bases[agent : agent+1])
	return out, nil
}

// Measured returns the team as it is measured: where another task is measured than is trained on, with that task, its prompts and its way of
// reading answers.
func (l Lineup) Measured() (Lineup, error) {
	if !l.elsewhere() {
		return l, nil
	}
	r := *l.Recipe
	r.Task = l.Recipe.Measured()
	protocol, err := plan.Protocol(&r)
	if err != nil {
		return Lineup{}, &usererror.Error{Err: err}
	}
	out := l
	out.Recipe, out.Task, out.Protocol = &r, l.measured, protocol
	out.Scorer = l.Scorer.ForTask(&r, l.measured.(task.Answerer))
	return out, nil
}

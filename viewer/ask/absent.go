package ask

import (
	"slices"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/rl/eval"
	"parley/team"
	"parley/team/workflow"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/score"
)

// A Seat is an agent of a team, and what the team can do without it. It says nothing then, as in a swap; where the team cannot go on so, its untrained base
// speaks in its place; where that is what it is, the team is never without it.
type Seat struct {
	Agent    string `json:"agent"`
	Trained  bool   `json:"trained"`  // a policy of its own, or one that it shares
	Alone    string `json:"alone"`    // left-out, untrained or never: when it alone is absent
	Together string `json:"together"` // the same in coalitions
	Why      string `json:"why"`      // it does not simply say nothing; empty: it does
}

// Never is what an agent is that a team is never without.
const Never = "never"

// Refused says why nobody can tell what the agents of a recipe contribute, from what the recipe says; nil: it can be told.
func Refused(dir string, r *recipe.Recipe) error {
	named := r.Team.Agents.Named
	report := usererror.Quote("parley", "run", "show", dir)
	switch a := r.AlgorithmType(); {
	case r.Experiment.Active():
		return usererror.Errorf("%s is an experiment of several runs: name one of the folders in it", dir)
	case a.Decodes():
		return usererror.Errorf("the agents of %s write one text, token by token (algorithm %s): none can be left out. Its decoding.jsonl has who wrote what, and what that was worth; %s has the report", dir, a.Name, report)
	case a.Alone():
		return usererror.Errorf("%s was trained and measured in the way of algorithm %s, which plays no held-out problem by its team as it is: its report has what is known: %s", dir, a.Name, report)
	case r.OneModel():
		return usererror.Errorf("one model writes for all agents of %s (team.protocol %s): none can be left out. %s has what training gained", dir, r.Team.Protocol, report)
	case r.Team.Agents.N < 2:
		return usererror.Errorf("%s has one agent, who contributes all: %s has what training gained", dir, report)
	case r.Team.Agents.N > eval.MostMembers:
		return usererror.Errorf("%s has %d agents; contributions are told of %d at most", dir, r.Team.Agents.N, eval.MostMembers)
	case len(named) > 0 && !slices.ContainsFunc(named, func(a keys.Agent) bool { return a.Reward.Team != 0 }):
		return usererror.Errorf("every agent of %s is paid for itself alone (team.agents.NAME.reward.team is 0): they have no score together that could be shared out. %s says how they play", dir, report)
	}
	return nil
}

// seats says of each agent what its team can do without it.
func seats(t Team, names []string) []Seat {
	out := make([]Seat, t.Protocol.Agents())
	answers, acts := answerer(t.Recipe, t.Protocol), actors(t.Lineup)
	for i := range out {
		s := Seat{Agent: names[i], Trained: t.Trained && !t.Sharing.IsFrozen(i), Alone: LeftOut, Together: LeftOut}
		instead := Untrained
		if !s.Trained {
			instead = Never
		}
		switch {
		case i == answers:
			s.Alone, s.Together, s.Why = instead, instead, "its text is the team's answer"
		case acts(i):
			s.Alone, s.Together, s.Why = instead, instead, "the environment waits for what it does"
		case t.Recipe.Harnessed():
			s.Together, s.Why = instead, "the team's program can do without one agent at a time"
		}
		out[i] = s
	}
	return out
}

// answerer is the agent, from 0, without whose text a team has no answer; −1: there is none, or nobody knows it before the team has answered.
func answerer(r *recipe.Recipe, p team.Protocol) int {
	names, a := r.Team.Agents.Names(), r.Team.Answer
	switch {
	case r.Harnessed(), r.Stepwise() && r.Team.Program != "" && a.Word != keys.AnswerName:
		return -1
	case r.Stepwise() && len(a.Names) > 0:
		if len(a.Names) > 1 {
			return -1 // the text of each is a part, or a vote
		}
		return slices.Index(names, a.Names[0])
	case r.Stepwise() && (a.Word == keys.AnswerVote || a.Word == keys.AnswerExpression), (!r.Stepwise() || a.Word == keys.AnswerEveryTurn) && r.Reward.Joint():
		return -1
	}
	// The last text counts, or those of the last turn vote: whoever speaks alone there is the one.
	sees, known := p.(interface {
		Visibility() ([]workflow.Sight, error)
	})
	if !known {
		return -1
	}
	sights, err := sees.Visibility()
	if err != nil || len(sights) == 0 {
		return -1
	}
	last := sights[len(sights)-1]
	if len(sights) > 1 && sights[len(sights)-2].Turn == last.Turn {
		return -1
	}
	return slices.Index(names, last.Agent)
}

// actors says which agents act in an environment. Nobody knows whom a program lets act.
func actors(l lineup.Lineup) func(agent int) bool {
	_, acts := l.Task.(score.World)
	names := l.Recipe.Team.Agents.Names()
	var within func(steps keys.Steps, name string) bool
	within = func(steps keys.Steps, name string) bool {
		return slices.ContainsFunc(steps, func(s keys.Step) bool { return slices.Contains(s.Act, name) || within(s.Steps, name) })
	}
	return func(agent int) bool {
		return acts && !l.Recipe.Harnessed() && (len(l.Recipe.Team.Workflow) == 0 || within(l.Recipe.Team.Workflow, names[agent]))
	}
}

// without is the change in which a team lacks an agent who is absent in some way; ok is false where it never is.
func without(agent int, how string) (c measure.Change, ok bool) {
	switch how {
	case LeftOut:
		return measure.Change{LeftOut: []int{agent}}, true
	case Untrained:
		return measure.Change{Untrained: []int{agent}}, true
	}
	return c, false
}

// members are the agents whom a score is shared among: those that a coalition can lack.
func members(list []Seat) (out []int) {
	for i, s := range list {
		if s.Together != Never {
			out = append(out, i)
		}
	}
	return out
}

// coalition is the change that leaves of the members those in c.
func coalition(list []Seat, of []int, c eval.Coalition) (change measure.Change) {
	for at, agent := range of {
		if c.Has(at) {
			continue
		}
		if list[agent].Together == LeftOut {
			change.LeftOut = append(change.LeftOut, agent)
		} else {
			change.Untrained = append(change.Untrained, agent)
		}
	}
	return change
}

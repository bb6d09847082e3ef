package team

import "fmt"

// A Kind is a protocol that recipes can name: what it is, as data, and how it is opened. Package protocols lists them.
type Kind struct {
	Name  string // as recipes write it
	About string // one sentence, for the list of protocols

	OneAgent  bool // there is one agent
	OneModel  bool // one model does the work of all agents, and writes a response for each ([Split])
	Exchanges bool // prompts of later turns show what the others answered, unless the recipe hides it
	// Partial says that some turns ask some agents only. A response of the team is whole once all have spoken: before, it has no joint reward.
	Partial bool
	// Stepwise says that the recipe itself says who is asked what: see package workflow. Open is nil then.
	Stepwise bool
	// Check says what is wrong with a team of that size and so many turns; empty: nothing. nil: any size is right.
	Check func(agents, turns int) string
	Open  func(Settings) (Protocol, error)
}

// Debate is the [Kind] of [NewDebate].
func Debate() Kind {
	return Kind{Name: "debate", About: "All agents answer, see each other's answers, and answer again (MAPoRL).", Exchanges: true, Open: NewDebate}
}

// Parallel is the [Kind] of [NewParallel].
func Parallel() Kind {
	return Kind{Name: "parallel", About: "All agents answer on their own, each in its role (MAGRPO).", Open: NewParallel}
}

// Single is the [Kind] of [NewSingle].
func Single() Kind {
	return Kind{
		Name: "single", About: "One agent; over several turns it corrects itself.", OneAgent: true, Open: NewSingle,
		Check: func(agents, _ int) string {
			if agents != 1 {
				return fmt.Sprintf("team.agents is %d, expected 1 with protocol single", agents)
			}
			return ""
		},
	}
}

// Central is the [Kind] of [NewCentral].
func Central() Kind {
	return Kind{
		Name: "central", About: "One model answers for all agents at once, each between tags, and is rewarded as they would be (magrpo.md 5); sampling.max_tokens is for all of them together.",
		OneModel: true, Open: NewCentral,
	}
}

// Workflow is the [Kind] of package workflow.
func Workflow() Kind {
	return Kind{Name: "workflow", About: "Who is asked what, when and how often stands in the recipe, step by step: team.workflow, or team.program.", Partial: true, Stepwise: true}
}

// Pipeline is the [Kind] of [NewPipeline].
func Pipeline() Kind {
	return Kind{
		Name: "pipeline", About: "The agents speak one after the other, one a turn; each reads those before it.", Partial: true, Open: NewPipeline,
		Check: func(agents, turns int) string {
			if turns != agents {
				return fmt.Sprintf("team.turns is %d, expected one for each of %d agents", turns, agents)
			}
			return ""
		},
	}
}

// Leader is the [Kind] of [NewLeader].
func Leader() Kind {
	return Kind{
		Name: "leader", About: "In every other turn the first agent decides on what the others have proposed in the turn before.", Partial: true, Open: NewLeader,
		Check: func(agents, turns int) string {
			switch {
			case agents < 2:
				return fmt.Sprintf("team.agents is %d, expected a leader and at least one more", agents)
			case turns%2 != 0:
				return fmt.Sprintf("team.turns is %d, expected an even number: the others propose, then the leader decides", turns)
			}
			return ""
		},
	}
}

// Package protocols has the teams that recipes name by a word: debate, parallel, single, central, pipeline and leader. Each is a workflow, and a word is its
// spelling; `parley recipe show RECIPE --workflow` prints what it stands for.
//
//	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Maths})
//
// [All] lists what recipes can name, one line each. A new protocol is a folder of its own with a function that returns its [team.Kind], and a line there.
package protocols

import (
	"errors"
	"fmt"

	"parley/team"
)

// Debate is MAPoRL's debate (paper §3.1): all agents answer at the same time, and the prompts of the next turn show each what the others answered. Where
// the settings do not let it see the others, an agent sees its own turns only.
func Debate() team.Kind {
	return team.Kind{Name: "debate", About: "All agents answer, see each other's answers, and answer again (MAPoRL).", Exchanges: true, Open: opens("debate")}
}

// Parallel is the protocol of MAGRPO (paper §3): every agent answers its own prompt and never sees another's history; later turns ask it to revise its
// own answer.
func Parallel() team.Kind {
	return team.Kind{Name: "parallel", About: "All agents answer on their own, each in its role (MAGRPO).", Open: opens("parallel")}
}

// Single is the protocol of one agent; with several turns it corrects itself.
func Single() team.Kind {
	return team.Kind{
		Name: "single", About: "One agent; over several turns it corrects itself.", OneAgent: true,
		Open: func(s team.Settings) (team.Protocol, error) {
			s.Agents = 1
			return opens("single")(s)
		},
		Check: func(agents, _ int) string {
			if agents != 1 {
				return fmt.Sprintf("team.agents is %d, expected 1 with protocol single", agents)
			}
			return ""
		},
	}
}

// Central is centralised MAGRPO (MAGRPO §5): one model is asked what all agents would be asked, and answers for each between tags. [team.Split] takes
// its answer apart. There is a single turn. Examples show the model such answers, tags included.
func Central() team.Kind {
	return team.Kind{
		Name: "central", About: "One model answers for all agents at once, each between tags, and is rewarded as they would be (magrpo.md 5); sampling.max_tokens is for all of them together.",
		OneModel: true, Open: opens("central"),
	}
}

// Pipeline is the protocol whose agents answer one after the other, one a turn, in agent order. Each is asked what it would be asked by itself, and is
// shown what those before it wrote. There are as many turns as agents.
func Pipeline() team.Kind {
	return team.Kind{
		Name: "pipeline", About: "The agents speak one after the other, one a turn; each reads those before it.", Partial: true, Open: opens("pipeline"),
		Check: func(agents, turns int) string {
			if turns != agents {
				return fmt.Sprintf("team.turns is %d, expected one for each of %d agents", turns, agents)
			}
			return ""
		},
	}
}

// Leader is the protocol in which the first agent decides: the others propose at the same time, then the first agent reads what they wrote and answers.
// Turns are of both kinds, and even. From the second round on, those who propose are shown what the first agent answered last.
func Leader() team.Kind {
	check := func(agents, turns int) string {
		switch {
		case agents < 2:
			return fmt.Sprintf("team.agents is %d, expected a leader and at least one more", agents)
		case turns%2 != 0:
			return fmt.Sprintf("team.turns is %d, expected an even number: the others propose, then the leader decides", turns)
		}
		return ""
	}
	return team.Kind{
		Name: "leader", About: "In every other turn the first agent decides on what the others have proposed in the turn before.", Partial: true, Check: check,
		Open: func(s team.Settings) (team.Protocol, error) {
			if fault := check(s.Agents, s.Turns); fault != "" {
				return nil, errors.New(fault)
			}
			return opens("leader")(s)
		},
	}
}

// All lists the protocols in the order of documentation. The first is what recipes mean that name none.
func All() []team.Kind {
	return []team.Kind{
		Debate(),
		Parallel(),
		Single(),
		Central(),
		Pipeline(),
		Leader(),
		team.Workflow(),
		Harness(),
	}
}

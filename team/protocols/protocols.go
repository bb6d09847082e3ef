// Package protocols has the teams that recipes name by a word: debate, parallel, single, central, pipeline and leader. Each is a workflow, and a word is its
// spelling; `parley recipe show RECIPE --workflow` prints what it stands for.
//
//	p, err := protocols.Debate().Open(team.Settings{Agents: 2, Turns: 2, SeeOthers: true, Prompts: team.Maths})
//
// [All] lists what recipes can name, one line each. A new protocol is a folder of its own with a function that returns its [team.Kind], and a line there.
package protocols

import "parley/team"

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
	}
}

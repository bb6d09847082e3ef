// Package protocols lists the protocols that recipes can name, one line each. A new protocol is a folder of its own with a function that
// returns its [team.Kind], and a line here.
package protocols

import "parley/team"

// All lists the protocols in the order of documentation. The first is what recipes mean that name none.
func All() []team.Kind {
	return []team.Kind{
		team.Debate(),
		team.Parallel(),
		team.Single(),
		team.Central(),
		team.Pipeline(),
		team.Leader(),
		team.Workflow(),
	}
}

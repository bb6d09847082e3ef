// Package alone holds the algorithms whose runs play by themselves: they have clocks of their own, or train what is no policy, so that they cannot
// be learners of whole updates. Their settings are declared here, their runs are in package train/together.
//
//	read.go    ReAd: a critic of prefixes of robots refines what a frozen planner proposes (arXiv 2405.14314)
//	mutual.go  a teacher that is a language model and a student that is a table (after Gu, arXiv 2401.06603)
package alone

import (
	"fmt"

	"parley/rl/learn"
)

// entry is an algorithm that plays by itself. It has no learner: making one is an error.
func entry(a learn.Algorithm) learn.Algorithm {
	a.Kind, a.Episodes = learn.Debates, learn.FromItself
	a.New = func(learn.Config) (learn.Learner, error) {
		return nil, fmt.Errorf("algorithm %s plays by itself and learns from no episodes of others", a.Name)
	}
	return a
}

// inWorld refuses tasks and rewards that have no environment.
func inWorld(v learn.View) string {
	return learn.If(v.Read && v.Agents != 2, "algorithm is %s, which is for two agents in an environment, but team.agents is %d", v.Algorithm.Name, v.Agents)
}

package alone

// This part of the package is the algorithm of teams of which nothing is trained: their agents are measured and talked with as their bases are (Corex, LessonL).
//
// It declares no settings, and there is no learner. Whoever would train such a team refuses before anything is opened.

import (
	"errors"

	"parley/rl/learn"
)

// Algorithm is the entry in the register.
func Algorithm() learn.Algorithm {
	return learn.Algorithm{
		Name: "none", About: "nothing is trained; the team is measured by parley eval and talked with by parley chat", Kind: learn.Debates,
		Episodes: learn.FromNowhere, New: refuse,
	}
}

func refuse(learn.Config) (learn.Learner, error) {
	return nil, errors.New("internal error: a learner was made for a team that is not trained")
}

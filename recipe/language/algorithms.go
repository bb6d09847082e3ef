// Package language makes the language of parley's recipes: the general keys, and what the registers of tasks, protocols and algorithms list. It is the only
// place that knows all tasks and algorithms; everything else asks it, or is given what it lists.
//
//	l := language.New()
//	r, err := l.Load("debate-sums", []string{"training.updates=3"})
//
//	tasks.go       the register of tasks
//	algorithms.go  the register of algorithms
package language

import (
	"errors"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/group"
	"parley/rl/learn/ppo"
	"parley/rl/learn/preference"
	"parley/rl/learn/supervised"
	"parley/systems/collab"
	"parley/systems/fuse"
	"parley/systems/malt"
	"parley/systems/mutual"
	"parley/systems/read"
	"parley/systems/sweet"
	"parley/team/protocols"
)

// Algorithms lists the ways to learn. A new one is a folder under learn or systems and a line here.
func Algorithms() []learn.Algorithm {
	return []learn.Algorithm{
		ppo.MAPPO(),
		group.MAGRPO(),
		group.MAREINFORCE(),
		group.MARLOO(),
		group.MAREMAX(),
		group.ATGRPO(),
		group.C3(),
		actorcritic.IAC(),
		actorcritic.MAAC(),
		preference.MADPO(),
		supervised.SFT(),
		nothing(),
		read.Algorithm(),
		mutual.Algorithm(),
		malt.MALT(),
		fuse.FuseLLM(),
		fuse.FromTeam(),
		sweet.Algorithm(),
		collab.Algorithm(),
	}
}

// nothing is the algorithm of teams of which nothing is trained: their agents are measured and talked with as their bases are (Corex, LessonL). It
// declares no settings, and there is no learner. Whoever would train such a team refuses before anything is opened.
func nothing() learn.Algorithm {
	return learn.Algorithm{
		Name: "none", About: "nothing is trained; the team is measured by parley eval and talked with by parley chat", Kind: learn.Debates,
		Episodes: learn.FromNowhere, New: func(learn.Config) (learn.Learner, error) {
			return nil, errors.New("internal error: a learner was made for a team that is not trained")
		},
	}
}

// New returns the language of the shipped recipes. It is made once and handed to whoever reads recipes.
func New() *recipe.Language {
	return recipe.NewLanguage(Tasks(), protocols.All(), Algorithms())
}

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
	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/learn/actorcritic"
	"parley/rl/learn/alone"
	"parley/rl/learn/group"
	"parley/rl/learn/ppo"
	"parley/rl/learn/preference"
	"parley/rl/learn/supervised"
	"parley/systems/collab"
	"parley/systems/fuse"
	"parley/systems/malt"
	"parley/systems/sweet"
	"parley/team/protocols"
)

// Algorithms lists the ways to learn. A new one is a folder under learn and a line here.
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
		alone.Algorithm(),
		alone.ReAd(),
		alone.Pair(),
		malt.MALT(),
		fuse.FuseLLM(),
		fuse.FromTeam(),
		sweet.Algorithm(),
		collab.Algorithm(),
	}
}

// New returns the language of the shipped recipes. It is made once and handed to whoever reads recipes.
func New() *recipe.Language {
	return recipe.NewLanguage(Tasks(), protocols.All(), Algorithms())
}

// Package algorithms is the register of the ways to learn: the one place that lists them. A new algorithm is a folder beside this
// one and one line here.
package algorithms

import (
	"parley/learn"
	"parley/learn/actorcritic"
	"parley/learn/alone"
	"parley/learn/collab"
	"parley/learn/fuse"
	"parley/learn/group"
	"parley/learn/malt"
	"parley/learn/none"
	"parley/learn/ppo"
	"parley/learn/preference"
	"parley/learn/supervised"
	"parley/learn/sweet"
)

// All lists the algorithms.
func All() []learn.Algorithm {
	return []learn.Algorithm{
		ppo.MAPPO(),
		group.MAGRPO(),
		group.MAREINFORCE(),
		group.MARLOO(),
		group.MAREMAX(),
		actorcritic.IAC(),
		actorcritic.MAAC(),
		preference.MADPO(),
		supervised.SFT(),
		none.Algorithm(),
		alone.ReAd(),
		alone.Pair(),
		malt.MALT(),
		fuse.FuseLLM(),
		fuse.FromTeam(),
		sweet.Algorithm(),
		collab.Algorithm(),
	}
}

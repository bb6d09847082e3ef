package language

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

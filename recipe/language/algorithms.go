package language

import (
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

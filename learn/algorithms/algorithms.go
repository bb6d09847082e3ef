// Package algorithms is the register of the ways to learn: the one place that lists them. A new algorithm is a folder beside this
// one and one line here.
package algorithms

import (
	"fmt"
	"slices"

	"parley/learn"
	"parley/learn/actorcritic"
	"parley/learn/group"
	"parley/learn/ppo"
	"parley/learn/preference"
	"parley/learn/supervised"
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
	}
}

// Find returns the algorithm of a name.
func Find(name string) (a learn.Algorithm, ok bool) {
	all := All()
	i := slices.IndexFunc(all, func(a learn.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return a, false
	}
	return all[i], true
}

// New returns a learner of the algorithm that c names.
func New(c learn.Config) (learn.Learner, error) {
	a, ok := Find(c.Algorithm)
	if !ok {
		return nil, fmt.Errorf("algorithm %q is not known", c.Algorithm)
	}
	return a.New(c)
}

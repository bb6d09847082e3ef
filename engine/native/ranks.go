package native

import (
	"slices"

	"parley/engine"
	"parley/model/config"
)

// ranks are the most that the adapters of some policies have on each projection of a layer: what they add to a pass.
type ranks [config.NumProjections]int

// usualRank is what the cuts of data into passes allow for: they follow from options alone, not from the policies that there are.
const usualRank = 16

// usualRanks are those of adapters of the usual rank on all projections of a family.
func usualRanks(f *config.Family) ranks {
	var r ranks
	for _, p := range f.Projections() {
		r[p] = usualRank
	}
	return r
}

// max are the larger of both, projection by projection.
func (r ranks) max(q ranks) ranks {
	for p, rank := range q {
		r.add(config.Projection(p), rank)
	}
	return r
}

// floats is how many values a layer keeps of the adapters of a row.
func (r ranks) floats() int {
	n := 0
	for _, rank := range r {
		n += rank
	}
	return n
}

// widest is the most rank in one projection group.
func (r ranks) widest(f *config.Family) int {
	most := 0
	for s := range projectionGroups {
		n := 0
		for _, p := range projectionsOf(f, s) {
			n += r[p]
		}
		most = max(most, n)
	}
	return most
}

// add counts an adapter.
func (r *ranks) add(p config.Projection, rank int) { r[p] = max(r[p], rank) }

// ranksOf are those of policies with such specs.
func (c *shape) ranksOf(specs []engine.PolicySpec) ranks {
	var r ranks
	for _, s := range specs {
		for _, p := range c.Family().Projections() {
			if !s.Full && adapted(&s, p) {
				r.add(p, s.Rank)
			}
		}
	}
	return r
}

// adapted reports whether a spec has an adapter on a projection.
func adapted(s *engine.PolicySpec, p config.Projection) bool {
	return len(s.Targets) == 0 || slices.Contains(s.Targets, p.Target())
}

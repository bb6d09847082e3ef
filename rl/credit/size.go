package credit

import (
	"fmt"
	"math"
	"slices"
)

// A Size counts what a rollout of one data item consists of.
type Size struct {
	Nodes       int // places where every agent draws its group of samples
	EnvSteps    int // scored joint actions: the x-axis of MAGRPO's plots
	Generations int // completions sampled, all agents together
	Leaves      int // joint actions that nothing follows
	NodeSamples int // (agent, node) pairs: the units of rollout buffers
	Branching   int // children of an inner node; 0 where it was not asked for
}

// TreeSize returns the size of the full tree of turns turns without early termination (MAGRPO §2.2). With b joint actions a
// node, nodes = Σ_{t<turns} b^t. An error means a count below 1 or numbers beyond the range of int.
func TreeSize(mode JointMode, agents, group, turns int) (Size, error) {
	if err := checkCounts(agents, group, turns); err != nil {
		return Size{}, err
	}
	return UnevenTreeSize(mode, slices.Repeat([]int{agents}, turns), slices.Repeat([]int{group}, turns))
}

// ChainSize returns the size of a full best-of-group chain: one node a turn, group aligned joint actions at each.
func ChainSize(agents, group, turns int) (Size, error) {
	if err := checkCounts(agents, group, turns); err != nil {
		return Size{}, err
	}
	return Size{
		Nodes: turns, EnvSteps: turns * group, Generations: turns * agents * group, Leaves: group, NodeSamples: turns * agents, Branching: 1,
	}, nil
}

// UnevenTreeSize is [TreeSize] of a tree in which turn t has so many speakers, each with so many samples. Its Branching is the greatest of all turns.
func UnevenTreeSize(mode JointMode, speakers, samples []int) (Size, error) {
	s := Size{Leaves: 1} // so far: nodes that the next turn has
	for t := range speakers {
		if err := checkCounts(speakers[t], samples[t], 1); err != nil {
			return Size{}, err
		}
		actions := float64(samples[t])
		if mode == Cross {
			actions = math.Pow(actions, float64(speakers[t]))
		}
		if largest := float64(s.Leaves) * actions * 2 * float64(speakers[t]*samples[t]); largest > math.MaxInt64/4 {
			return Size{}, fmt.Errorf("tree of %d turns in mode %s: about %.2g generations an item in turn %d alone", len(speakers), mode, largest, t+1)
		}
		nodes, b := s.Leaves, int(actions)
		s.Nodes += nodes
		s.EnvSteps += nodes * b
		s.NodeSamples += nodes * speakers[t]
		s.Generations += nodes * speakers[t] * samples[t]
		s.Branching, s.Leaves = max(s.Branching, b), nodes*b
	}
	return s, nil
}

// EpisodesSize returns the size of whole episodes that share nothing, in which turn t has so many speakers.
func EpisodesSize(speakers []int, episodes int) (Size, error) {
	s := Size{Branching: 1, Leaves: episodes}
	for _, n := range speakers {
		if err := checkCounts(n, episodes, 1); err != nil {
			return Size{}, err
		}
		s.Nodes += episodes
		s.NodeSamples += episodes * n
	}
	s.EnvSteps, s.Generations = s.Nodes, s.NodeSamples
	return s, nil
}

// DecisionsSize returns the size of an episode in which one of the candidates of every turn is executed.
func DecisionsSize(speakers, samples []int) (Size, error) {
	s := Size{Branching: 1}
	for t, n := range speakers {
		if err := checkCounts(n, samples[t], 1); err != nil {
			return Size{}, err
		}
		s.Nodes += n
		s.EnvSteps += n * samples[t]
		s.NodeSamples += n
		s.Generations += n * samples[t]
		s.Leaves = samples[t]
	}
	return s, nil
}

// ReplaySize returns the most that whole episodes have that are gone back to at one message each, their first: so many alternatives are each continued
// so many times.
func ReplaySize(speakers []int, episodes, alternatives, continuations int) (Size, error) {
	if err := checkCounts(alternatives, continuations, episodes); err != nil {
		return Size{}, err
	}
	ends := alternatives * continuations
	s := Size{Branching: 1, Leaves: episodes * ends, Nodes: episodes, EnvSteps: episodes * alternatives, NodeSamples: episodes, Generations: episodes * alternatives}
	for t := range speakers[1:] {
		nodes, said := episodes*ends, episodes*ends
		if t == 0 { // the continuations of an alternative begin at one node
			nodes = episodes * alternatives
		}
		s.Nodes, s.NodeSamples = s.Nodes+nodes, s.NodeSamples+nodes
		s.EnvSteps, s.Generations = s.EnvSteps+said, s.Generations+said
	}
	return s, nil
}

func checkCounts(agents, group, turns int) error {
	if agents < 1 || group < 1 || turns < 1 {
		return fmt.Errorf("rollout of %d agents, group %d, %d turns: each must be at least 1", agents, group, turns)
	}
	return nil
}

// Refuse returns an error when s takes more than limit generations an item; limit 0 allows everything.
func (s Size) Refuse(limit int) error {
	if limit == 0 || s.Generations <= limit {
		return nil
	}
	return fmt.Errorf("one item takes %d generations (%d nodes, %d joint actions), more than the limit of %d: "+
		"lower the group size or the turns, use aligned joint actions or the chain, or raise the limit",
		s.Generations, s.Nodes, s.EnvSteps, limit)
}

func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}

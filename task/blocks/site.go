package blocks

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Size is that of a building site, in blocks along x, y (upwards) and z.
type Size [3]int

// A place is a cell of a building site: x, y, z.
type place [3]int

func (at place) String() string { return fmt.Sprintf("(%d, %d, %d)", at[0], at[1], at[2]) }

func (s Size) cells() int { return s[0] * s[1] * s[2] }

// index is the number of a cell among all of them: x runs fastest, then z, then y.
func (s Size) index(at place) int { return (at[1]*s[2]+at[2])*s[0] + at[0] }

// all are the cells in the order of their numbers.
func (s Size) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		for i := range s.cells() {
			if !yield(place{i % s[0], i / (s[0] * s[2]), i / s[0] % s[2]}) {
				return
			}
		}
	}
}

func (s Size) contains(at place) bool {
	for axis, v := range at {
		if v < 0 || v >= s[axis] {
			return false
		}
	}
	return true
}

// A site is what agents build on. Every agent may place each kind of block so many times.
type site struct {
	size   Size
	cells  []string
	limits map[string]int
	killed bool // somebody has issued /kill
}

// A work is what one agent's commands came to.
type work struct {
	commands []string       // those that were carried out
	left     map[string]int // how many of each kind of block the agent could still place
}

// newSite is an empty one for a target that so many agents build.
func newSite(size Size, target []string, agents int) *site {
	counts := map[string]int{}
	for _, block := range target {
		counts[block]++
	}
	s := &site{size: size, cells: slices.Repeat([]string{air}, size.cells()), limits: map[string]int{}}
	for block, n := range counts {
		if block != air {
			s.limits[block] = BlockLimit(n, agents)
		}
	}
	return s
}

// carryOut follows one agent's commands. A fill that leaves the site, or that takes more blocks than the agent has left, is skipped.
func (s *site) carryOut(text string) work {
	w := work{left: maps.Clone(s.limits)}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		valid := false
		switch strings.TrimPrefix(words[0], "/") {
		case "kill":
			s.killed, valid = true, true
		case "fill":
			box, ok := parseFill(words[1:])
			valid = ok && s.fill(box, w.left)
		}
		if valid {
			w.commands = append(w.commands, strings.TrimSpace(line))
		}
	}
	return w
}

// fill carries out a fill with what is left of its block.
func (s *site) fill(b box, left map[string]int) bool {
	if !s.size.contains(b.from) || !s.size.contains(b.to) {
		return false
	}
	if b.block != air {
		if b.volume() > left[b.block] {
			return false
		}
		left[b.block] -= b.volume()
	}
	for at := range b.all() {
		s.cells[s.size.index(at)] = b.block
	}
	return true
}

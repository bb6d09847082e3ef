package build

import (
	"slices"
	"strconv"
	"strings"
)

// Size is that of a building site, in blocks along x, y (upwards) and z.
type Size [3]int

func (s Size) cells() int { return s[0] * s[1] * s[2] }

// index is the place of a cell among all of them: x runs fastest, then z, then y.
func (s Size) index(x, y, z int) int { return (y*s[2]+z)*s[0] + x }

func (s Size) contains(at [3]int) bool {
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

// carryOut follows one agent's commands and returns how many were valid. A fill that leaves the site, or that takes more blocks than
// the agent has left, is skipped.
func (s *site) carryOut(text string) (accepted int) {
	left := make(map[string]int, len(s.limits))
	for block, n := range s.limits {
		left[block] = n
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch strings.TrimPrefix(words[0], "/") {
		case "kill":
			s.killed = true
			accepted++
		case "fill":
			if s.fill(words[1:], left) {
				accepted++
			}
		}
	}
	return accepted
}

// fill carries out "x1 y1 z1 x2 y2 z2 block", both corners included.
func (s *site) fill(words []string, left map[string]int) bool {
	if len(words) != 7 {
		return false
	}
	var corners [2][3]int
	for i, word := range words[:6] {
		n, err := strconv.Atoi(word)
		if err != nil {
			return false
		}
		corners[i/3][i%3] = n
	}
	from, to := corners[0], corners[1]
	for axis := range from {
		from[axis], to[axis] = min(corners[0][axis], corners[1][axis]), max(corners[0][axis], corners[1][axis])
	}
	block := strings.TrimPrefix(words[6], "minecraft:")
	if !s.size.contains(from) || !s.size.contains(to) {
		return false
	}
	if block != air {
		n := (to[0] - from[0] + 1) * (to[1] - from[1] + 1) * (to[2] - from[2] + 1)
		if n > left[block] {
			return false
		}
		left[block] -= n
	}
	for y := from[1]; y <= to[1]; y++ {
		for z := from[2]; z <= to[2]; z++ {
			for x := from[0]; x <= to[0]; x++ {
				s.cells[s.size.index(x, y, z)] = block
			}
		}
	}
	return true
}

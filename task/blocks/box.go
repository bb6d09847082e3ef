package blocks

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A box is what a fill fills: all cells from one corner to the opposite one, both included. No coordinate of from is above that of to.
type box struct {
	from, to place
	block    string
}

// parseFill reads "x1 y1 z1 x2 y2 z2 block", corners in any order; the prefix minecraft: may be there.
func parseFill(words []string) (b box, ok bool) {
	if len(words) != 7 {
		return box{}, false
	}
	for axis := range b.from {
		first, errFirst := strconv.Atoi(words[axis])
		second, errSecond := strconv.Atoi(words[axis+3])
		if errFirst != nil || errSecond != nil {
			return box{}, false
		}
		b.from[axis], b.to[axis] = min(first, second), max(first, second)
	}
	b.block = strings.TrimPrefix(words[6], "minecraft:")
	return b, true
}

// String is the command that fills the box.
func (b box) String() string {
	return fmt.Sprintf("/fill %d %d %d %d %d %d %s", b.from[0], b.from[1], b.from[2], b.to[0], b.to[1], b.to[2], b.block)
}

func (b box) side(axis int) int { return b.to[axis] - b.from[axis] + 1 }

func (b box) volume() int { return b.side(0) * b.side(1) * b.side(2) }

// all are the cells of the box, x fastest, then z, then y.
func (b box) all() iter.Seq[place] {
	return func(yield func(place) bool) {
		for at := range (Size{b.side(0), b.side(1), b.side(2)}).all() {
			for axis := range at {
				at[axis] += b.from[axis]
			}
			if !yield(at) {
				return
			}
		}
	}
}

// slab is the largest part of a box of one layer that takes at most so many blocks, in the corner of its from.
func (b box) slab(most int) box {
	best := 0
	part := b
	for wide := range b.side(0) {
		if deep := min(b.side(2), most/(wide+1)); (wide+1)*deep > best {
			best = (wide + 1) * deep
			part.to = place{b.from[0] + wide, b.to[1], b.from[2] + deep - 1}
		}
	}
	return part
}

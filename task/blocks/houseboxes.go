package blocks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/task"
)

// plan cuts the house into boxes of one layer and one block each, air included: each begins at the first cell that has none, and is as
// long along x as it can be, then as long along z.
func (b building) plan() []box {
	taken := make([]bool, len(b.target))
	free := func(at place, block string) bool {
		i := b.size.index(at)
		return !taken[i] && b.target[i] == block
	}
	var boxes []box
	for at := range b.size.all() {
		next := box{at, at, b.target[b.size.index(at)]}
		if taken[b.size.index(at)] {
			continue
		}
		for to := next.to; to[0] < b.size[0] && free(to, next.block); to[0]++ {
			next.to = to
		}
		for next.to[2]+1 < b.size[2] {
			row := box{place{at[0], at[1], next.to[2] + 1}, place{next.to[0], at[1], next.to[2] + 1}, next.block}
			if !all(row, func(at place) bool { return free(at, next.block) }) {
				break
			}
			next.to[2]++
		}
		for in := range next.all() {
			taken[b.size.index(in)] = true
		}
		boxes = append(boxes, next)
	}
	return boxes
}

// all says that something is true of every cell of a box.
func all(b box, is func(place) bool) bool {
	for at := range b.all() {
		if !is(at) {
			return false
		}
	}
	return true
}

// faulty are the boxes of the plan with a wrong cell.
func (b building) faulty() []box {
	return slices.DeleteFunc(b.plan(), func(x box) bool { return all(x, func(at place) bool { return !b.wrong(at) }) })
}

// correctBoxes reports to every agent the boxes of its layers that have wrong cells, so many of them: the first agent has the lowest
// layers.
func (t *Houses) correctBoxes(p task.Problem, responses []string, shown int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	fills := make([][]string, len(responses))
	for _, x := range b.faulty() {
		agent := x.from[1] * len(responses) / b.size[1]
		fills[agent] = append(fills[agent], x.String())
	}
	reports := make([]string, len(responses))
	for i, w := range b.works {
		reports[i] = w.carriedOut() + " Boxes to correct in your layers: " + some(fills[i], shown) + b.fight()
	}
	return reports, nil
}

// carriedOut lists an agent's valid commands.
func (w work) carriedOut() string {
	return "Your commands that could be carried out: " + some(w.commands, 0)
}

// schedule reports to every agent what its commands left of each block, and what to spend that on: the greatest boxes with wrong
// cells, as long as there are blocks for a whole one, and the greatest part of another.
func (t *Houses) schedule(p task.Problem, responses []string, _ int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	boxes := slices.DeleteFunc(b.faulty(), func(x box) bool { return x.block == air })
	slices.SortStableFunc(boxes, func(x, y box) int { return y.volume() - x.volume() })
	reports := make([]string, len(responses))
	for i, w := range b.works {
		var stock []string
		for _, block := range slices.Sorted(maps.Keys(w.left)) {
			stock = append(stock, fmt.Sprintf("%s %d", block, w.left[block]))
		}
		reports[i] = w.carriedOut() + " Blocks you have left: " + strings.Join(stock, ", ") + ". Boxes to build with them: " + some(spend(boxes, w.left), 0) + b.fight()
	}
	return reports, nil
}

// spend takes boxes in turn while there are blocks for a whole one, then the greatest part of one that is not taken.
func spend(boxes []box, left map[string]int) []string {
	left = maps.Clone(left)
	var fills []string
	var rest []box
	for _, x := range boxes {
		if x.volume() > left[x.block] {
			rest = append(rest, x)
			continue
		}
		left[x.block] -= x.volume()
		fills = append(fills, x.String())
	}
	best := 0
	var part box
	for _, x := range rest {
		if left[x.block] == 0 {
			continue
		}
		if s := x.slab(left[x.block]); s.volume() > best {
			best, part = s.volume(), s
		}
	}
	if best > 0 {
		fills = append(fills, part.String())
	}
	return fills
}

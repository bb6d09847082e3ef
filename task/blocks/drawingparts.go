package blocks

import (
	"fmt"
	"slices"
	"strings"

	"parley/task"
)

// parts divides a drawing: neighbouring cells go to different agents, and each to the block that its agent has used least, among
// those that repeat the fewest colours of the neighbours to the left and below.
func (d Drawing) parts() []map[cell]string {
	parts := make([]map[cell]string, len(d.Palettes))
	used := make([]map[string]int, len(d.Palettes))
	for i := range parts {
		parts[i], used[i] = map[cell]string{}, map[string]int{}
	}
	blocks := map[cell]string{}
	for _, at := range d.targets() {
		owner := (at.x + at.y) % len(parts)
		best, cost := "", 0
		for _, block := range d.Palettes[owner] {
			if block == air {
				continue
			}
			c := used[owner][block]
			for _, next := range []cell{{at.x - 1, at.y}, {at.x, at.y - 1}} {
				if other, there := blocks[next]; there && colour(other) == colour(block) {
					c += len(d.Rows) * len(d.Rows[0]) // outweighs all uses
				}
			}
			if best == "" || c < cost {
				best, cost = block, c
			}
		}
		if best != "" {
			blocks[at], parts[owner][at] = best, best
			used[owner][best]++
		}
	}
	return parts
}

// targets are the cells of the letters, row by row from the bottom.
func (d Drawing) targets() []cell {
	var out []cell
	for at, target := range d.cells() {
		if target {
			out = append(out, at)
		}
	}
	slices.SortFunc(out, func(a, b cell) int { return (a.y-b.y)*len(d.Rows[0]) + a.x - b.x })
	return out
}

// untouched stands in the cells that none of an agent's commands names.
const untouched = ""

// alone is what one agent's commands leave in the cells: a block, nothing where they remove one, or untouched.
func (d Drawing) alone(agent int, text string) map[cell]string {
	grid := map[cell]string{}
	for at := range d.cells() {
		grid[at] = untouched
	}
	setBlocks(grid, text, d.Palettes[agent], len(d.Rows[0]), len(d.Rows), d.MaxCommands/len(d.Palettes))
	return grid
}

// perfect reports to every agent what differs between its commands and its part. If all follow, the drawing is perfect, as far as
// palettes and the number of commands allow.
func (t *Drawings) perfect(p task.Problem, responses []string, _ int) ([]string, error) {
	d, err := t.drawing(p, len(responses))
	if err != nil {
		return nil, err
	}
	reports := make([]string, len(responses))
	for i, part := range d.parts() {
		var place, remove []string
		grid := d.alone(i, responses[i])
		for at := range d.cells() {
			block, mine := part[at]
			did, there := grid[at]
			if mine && did != block {
				place = append(place, fmt.Sprintf("%v %s", at, block))
			} else if !mine && (!there || did != untouched) {
				remove = append(remove, at.String())
			}
		}
		reports[i] = changes(place, remove)
	}
	return reports, nil
}

// positions reports all cells of the letters, whatever was drawn.
func (t *Drawings) positions(p task.Problem, responses []string, _ int) ([]string, error) {
	d, err := t.drawing(p, len(responses))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, at := range d.targets() {
		all = append(all, at.String())
	}
	text := "Cells of the letters: " + strings.Join(all, "; ") + "." + subset(len(all), len(responses), ", no two of them side by side")
	return slices.Repeat([]string{text}, len(responses)), nil
}

package blocks

import (
	"fmt"
	"slices"
	"strings"

	"parley/task"
)

// parts divides a house: of every kind of block the first agent has the first cells in the order of their numbers, the last the last.
// Nobody's part takes more blocks than an agent may place. A cell's owner is −1 where air belongs.
func (b building) parts() []int {
	agents := len(b.works)
	counts, seen := map[string]int{}, map[string]int{}
	for _, block := range b.target {
		counts[block]++
	}
	owners := make([]int, len(b.target))
	for i, block := range b.target {
		owners[i] = -1
		if block != air {
			owners[i] = seen[block] * agents / counts[block]
			seen[block]++
		}
	}
	return owners
}

// perfect reports to every agent what differs between its commands and its part. If all follow, every cell is right.
func (t *Houses) perfect(p task.Problem, responses []string, _ int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	owners := b.parts()
	reports := make([]string, len(responses))
	for i, text := range responses {
		var place, remove []string
		own := newSite(b.size, b.target, len(responses))
		own.cells = slices.Repeat([]string{untouched}, len(b.target))
		own.carryOut(text)
		for at := range b.size.all() {
			switch n := b.size.index(at); {
			case owners[n] == i && own.cells[n] != b.target[n]:
				place = append(place, fmt.Sprintf("%v %s", at, b.target[n]))
			case owners[n] != i && own.cells[n] != untouched:
				remove = append(remove, at.String())
			}
		}
		reports[i] = changes(place, remove) + b.fight()
	}
	return reports, nil
}

// fight says that somebody has to fight, if nobody does.
func (b building) fight() string {
	if b.killed {
		return ""
	}
	return " Nobody fights the spiders."
}

// positions reports where every kind of block belongs, whatever was built.
func (t *Houses) positions(p task.Problem, responses []string, _ int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	total, cells := 0, map[string][]string{}
	var kinds []string
	for at := range b.size.all() {
		block := b.target[b.size.index(at)]
		if block == air {
			continue
		}
		if cells[block] == nil {
			kinds = append(kinds, block)
		}
		cells[block] = append(cells[block], at.String())
		total++
	}
	text := "Cells of the house:"
	for _, block := range kinds {
		text += fmt.Sprintf(" %s at %s.", block, strings.Join(cells[block], "; "))
	}
	return slices.Repeat([]string{text + subset(total, len(responses), "")}, len(responses)), nil
}

// wrongCells words every wrong cell: where it is, what is there, and what should be.
func (b building) wrongCells(word func(at place, is, should string) string) []string {
	var out []string
	for at := range b.size.all() {
		if i := b.size.index(at); b.wrong(at) {
			out = append(out, word(at, b.cells[i], b.target[i]))
		}
	}
	return out
}

// correctCells reports what belongs into the wrong cells, so many of them.
func (t *Houses) correctCells(p task.Problem, responses []string, shown int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	wrong := b.wrongCells(func(at place, _, should string) string { return fmt.Sprintf("%v %s", at, should) })
	return slices.Repeat([]string{"Cells to correct: " + some(wrong, shown) + b.fight()}, len(responses)), nil
}

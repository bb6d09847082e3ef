package blocks

import (
	"context"
	"fmt"
	"strings"

	"parley/task"
)

// Report implements [task.Reporter]: what is missing and what is too much in the drawing so far, and how the agent's own commands
// fared. shown is how many places it may name, of either kind.
func (t *Drawings) Report(_ context.Context, p task.Problem, responses []string, shown int) ([]string, error) {
	d, err := t.drawing(p, len(responses))
	if err != nil {
		return nil, err
	}
	s, grid, err := draw(d.Rows, responses, d.Palettes, d.MaxCommands)
	if err != nil {
		return nil, fmt.Errorf("task strbuild: problem %s: %w", p.ID, err)
	}
	var missing, extra []string
	for at, target := range d.cells() {
		if block, placed := grid[at]; target && !placed {
			missing = append(missing, at.String())
		} else if !target && placed {
			extra = append(extra, fmt.Sprintf("%v has %s", at, block))
		}
	}
	team := "Cells of the letters without a block: " + some(missing, shown) + " Cells of the background with a block: " + some(extra, shown) +
		fmt.Sprintf(" Share of neighbours with one colour: %.2f.", s.SameColour)
	reports := make([]string, len(responses))
	for i := range reports {
		reports[i] = fmt.Sprintf("%s Of your lines %d were commands that could be carried out.", team, s.Accepted[i])
	}
	return reports, nil
}

// Report implements [task.Reporter]: which cells of the house so far are wrong, whether somebody fights the spiders, and how the
// agent's own commands fared. shown is how many cells it may name.
func (t *Houses) Report(_ context.Context, p task.Problem, responses []string, shown int) ([]string, error) {
	b, err := t.build(p, responses)
	if err != nil {
		return nil, err
	}
	wrong := b.wrongCells(func(at place, is, should string) string {
		return fmt.Sprintf("%v is %s and should be %s", at, is, should)
	})
	team := "Wrong cells: " + some(wrong, shown) + b.fight()
	reports := make([]string, len(responses))
	for i := range reports {
		reports[i] = fmt.Sprintf("%s Of your lines %d were commands that could be carried out.", team, len(b.works[i].commands))
	}
	return reports, nil
}

// some counts a list and names the first few of it, the last few where shown is negative, or all for 0.
func some(list []string, shown int) string {
	n := len(list)
	switch {
	case n == 0:
		return "none."
	case shown > 0:
		list = list[:min(shown, n)]
	case shown < 0:
		list = list[max(n+shown, 0):]
	}
	text := fmt.Sprintf("%d, ", n)
	if len(list) < n {
		text += "such as "
	}
	return text + strings.Join(list, "; ") + "."
}

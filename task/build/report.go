package build

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/task"
)

// Report implements [task.Reporter]: what is missing and what is too much in the drawing so far, and how the agent's own commands
// fared. shown is how many places it may name, of either kind.
func (t *Drawings) Report(p task.Problem, responses []string, shown int) ([]string, error) {
	var d Drawing
	if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &d); err != nil {
		return nil, fmt.Errorf("task strbuild: problem %s: %w", p.ID, err)
	}
	s, grid, err := draw(d.Rows, responses, d.Palettes, d.MaxCommands)
	if err != nil {
		return nil, fmt.Errorf("task strbuild: problem %s: %w", p.ID, err)
	}
	var missing, extra []string
	for r, row := range d.Rows {
		for x, mark := range []byte(row) {
			at := cell{x, len(d.Rows) - 1 - r}
			if block, placed := grid[at]; mark == '#' && !placed {
				missing = append(missing, fmt.Sprintf("(%d, %d)", at.x, at.y))
			} else if mark != '#' && placed {
				extra = append(extra, fmt.Sprintf("(%d, %d) has %s", at.x, at.y, block))
			}
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
func (t *Houses) Report(p task.Problem, responses []string, shown int) ([]string, error) {
	var h House
	if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &h); err != nil {
		return nil, fmt.Errorf("task housebuild: problem %s: %w", p.ID, err)
	}
	size, target, err := h.target()
	if err != nil {
		return nil, fmt.Errorf("task housebuild: problem %s: %w", p.ID, err)
	}
	built, accepted := newSite(size, target, len(responses)), make([]int, len(responses))
	for i, text := range responses {
		accepted[i] = built.carryOut(text)
	}
	var wrong []string
	for y := range size[1] {
		for z := range size[2] {
			for x := range size[0] {
				if i := size.index(x, y, z); built.cells[i] != target[i] {
					wrong = append(wrong, fmt.Sprintf("(%d, %d, %d) is %s and should be %s", x, y, z, built.cells[i], target[i]))
				}
			}
		}
	}
	team := "Wrong cells: " + some(wrong, shown)
	if !built.killed {
		team += " Nobody fights the spiders."
	}
	reports := make([]string, len(responses))
	for i := range reports {
		reports[i] = fmt.Sprintf("%s Of your lines %d were commands that could be carried out.", team, accepted[i])
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

package blocks

import (
	"fmt"

	"parley/task"
)

// Kinds of reports beside that of [task.Reporter] (MAGRPO §9). Every turn starts from nothing, so each of them helps to give all
// commands again.
const (
	Perfect            = "perfect"               // what to change for a perfect result, each agent in its own part
	Position           = "position"              // where blocks belong, whatever was built
	PositionCorrection = "position_modification" // houses: the wrong cells
	BoxCorrection      = "rect_modification"     // houses: boxes of the plan with wrong cells
	ResourceSchedule   = "resource_schedule"     // houses: what is left, and the greatest boxes to spend it on
)

// Reporter implements [task.Reporters].
func (t *Drawings) Reporter(kind string) task.Reporter {
	switch kind {
	case Perfect:
		return task.ReportFunc(t.perfect)
	case Position:
		return task.ReportFunc(t.positions)
	}
	return nil
}

// Reporter implements [task.Reporters].
func (t *Houses) Reporter(kind string) task.Reporter {
	switch kind {
	case Perfect:
		return task.ReportFunc(t.perfect)
	case Position:
		return task.ReportFunc(t.positions)
	case PositionCorrection:
		return task.ReportFunc(t.correctCells)
	case BoxCorrection:
		return task.ReportFunc(t.correctBoxes)
	case ResourceSchedule:
		return task.ReportFunc(t.schedule)
	}
	return nil
}

// changes words what an agent should change in its commands.
func changes(place, remove []string) string {
	return "Place in your part: " + some(place, 0) + " Take out of your commands: " + some(remove, 0) + " Keep the rest."
}

// subset asks each of several agents for its share of so many cells.
func subset(cells, agents int, how string) string {
	if agents == 1 {
		return ""
	}
	return fmt.Sprintf(" Choose about %d of them%s; the others do the rest.", (cells+agents-1)/agents, how)
}

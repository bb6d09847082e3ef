// This file is a field of 6 × 6 cells on which a student looks for a goal and a teacher says where to go.
//
// The first agent is the teacher. It observes in which directions the goal lies, and names one. The second is the student. It observes its cell, the
// goal's, and the direction that the teacher named last, and moves by one cell: 1 up, 2 down, 3 left, 4 right, the first of these digits that is
// said. Off the field, and with a text without such a digit, it stays, which costs the step, and the observation says so. Both may act at once; then
// the student gets the teacher's word after its own move.
//
// The team earns 1 at the goal, where the episode is over. It is over without after [GridMoves] moves of the student.
//
// A problem is a cell to start from and another one for the goal. It is a small form of the world of a teacher and a student in Gu (arXiv
// 2401.06603); the numbers are ours.

package games

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/task"
	"parley/task/environment"
)

const (
	gridSide = 6
	// GridMoves is the most moves of an episode.
	GridMoves = 16
)

// Grid returns the game.
func Grid() environment.Game {
	return environment.Game{
		Name: "grid", About: "A teacher names directions and a student walks to a goal.", Agents: 2, Least: 0, Most: 1,
		Board:    environment.Board{Side: gridSide, Text: walk},
		Open:     func(agents []string) environment.Environment { return gridWorld{agents} },
		Problems: gridProblems,
	}
}

// A GridField is a state. Cells are numbered row by row.
type GridField struct {
	At    int `json:"at"`
	Goal  int `json:"goal"`
	Told  int `json:"told,omitempty"`  // the direction that the teacher named last; 0: none
	Moves int `json:"moves,omitempty"` // that the student made
}

// Over says that the episode has ended.
func (f GridField) Over() bool { return f.At == f.Goal || f.Moves >= GridMoves }

// Useful lists the directions that come nearer to the goal.
func (f GridField) Useful() []int {
	var out []int
	row, column := f.Goal/gridSide-f.At/gridSide, f.Goal%gridSide-f.At%gridSide
	for direction, nearer := range []bool{row < 0, row > 0, column < 0, column > 0} {
		if nearer {
			out = append(out, direction+1)
		}
	}
	return out
}

// Move is where the student is after a direction, 0 for none; ok is false where it stays.
func (f GridField) Move(direction int) (next GridField, ok bool) {
	f.Moves++
	f.At, ok = moved(f.At, direction, gridSide)
	return f, ok
}

// gridProblems are all pairs of cells.
func gridProblems() (train, held []task.Problem) {
	var all []GridField
	for at := range gridSide * gridSide {
		for goal := range gridSide * gridSide {
			if goal != at {
				all = append(all, GridField{At: at, Goal: goal})
			}
		}
	}
	return environment.HoldOut("grid", all)
}

type gridWorld struct{ agents []string }

// Reset implements [environment.Environment].
func (w gridWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	f := GridField{At: -1, Goal: -1}
	if err := json.Unmarshal([]byte(p.Question), &f); err != nil || min(f.At, f.Goal) < 0 || max(f.At, f.Goal) >= gridSide*gridSide || f.At == f.Goal {
		return environment.Outcome{}, fmt.Errorf("grid: problem %s is no field: %.80s", p.ID, p.Question)
	}
	return w.show(GridField{At: f.At, Goal: f.Goal}, "")
}

// Step implements [environment.Environment].
func (w gridWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var f GridField
	if err := json.Unmarshal(before, &f); err != nil {
		return environment.Outcome{}, fmt.Errorf("grid: %w", err)
	}
	trouble := ""
	if text, moves := actions[w.agents[1]]; moves {
		next, ok := f.Move(direction(text))
		if f = next; !ok {
			trouble = " no way"
		}
	}
	if text, names := actions[w.agents[0]]; names {
		f.Told = direction(text)
	}
	return w.show(f, trouble)
}

// show is what both observe: the teacher the ways that lead nearer, the student its cell and the goal's by row and column from 1, what it was told,
// and whether its last move led nowhere.
func (w gridWorld) show(f GridField, trouble string) (environment.Outcome, error) {
	text, err := json.Marshal(f)
	o := environment.Outcome{State: text, Done: f.Over()}
	if f.At == f.Goal {
		o.Team = 1
	}
	ways := strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Useful()), " ", ""), "[]")
	student := fmt.Sprintf("at %d%d goal %d%d", f.At/gridSide+1, f.At%gridSide+1, f.Goal/gridSide+1, f.Goal%gridSide+1)
	if f.Told > 0 {
		student += fmt.Sprintf(" told %d", f.Told)
	}
	o.Observations = map[string]string{w.agents[0]: "goal by " + ways, w.agents[1]: student + trouble}
	return o, err
}

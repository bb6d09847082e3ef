// This file is a table with four blocks, of which two robots sweep three away together.
//
// Both robots act at once. Each waits, or goes to a block. The second one sweeps the block that it stands at, which works where both stand there
// already and the first one waits. A target that is swept away earns the team 1, the fourth block nothing. Where all targets are gone, or after
// [SweepSteps] steps, the episode is over. So it earns 0 to 3, and at best in two steps for each target. Where both wait nothing changes but the step.
//
// A move is the first digit of what is said: 0 waits, 1 to 4 goes to that block, 5 sweeps. A text without one, and 5 of the first robot, is no
// move: the robot stays, which is no waiting, and the observation says so.
//
// It is a small form of the task on which ReAd (arXiv 2405.14314) was measured; the numbers are ours. A problem names the block that is no target,
// the decoy, and where both stand: 0 is beside the blocks. It may also name blocks that are gone.

package games

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/task"
	"parley/task/environment"
)

const (
	blocks = 4
	// SweepSteps is the most steps of an episode.
	SweepSteps = 15
)

// Moves beside going to a block.
const (
	wait   = 0
	sweeps = blocks + 1
	noMove = -1
)

// Sweep returns the game.
func Sweep() environment.Game {
	return environment.Game{
		Name: "sweep", About: "Two robots sweep three of four blocks away, which takes both.", Agents: 2, Least: 0, Most: blocks - 1,
		Open:     func(agents []string) environment.Environment { return sweepWorld{agents} },
		Problems: sweepProblems,
	}
}

// A SweepTable is a state: what a problem says, and how many steps are done.
type SweepTable struct {
	Decoy int    `json:"decoy"`           // the block that is no target
	At    [2]int `json:"at"`              // where the robots stand; 0: at no block
	Gone  []int  `json:"gone,omitempty"`  // blocks, in the order in which they were swept
	Steps int    `json:"steps,omitempty"` // done
}

// Left lists the targets that are still there.
func (t SweepTable) Left() []int {
	var out []int
	for b := 1; b <= blocks; b++ {
		if b != t.Decoy && !slices.Contains(t.Gone, b) {
			out = append(out, b)
		}
	}
	return out
}

// Over says that the episode has ended.
func (t SweepTable) Over() bool { return len(t.Left()) == 0 || t.Steps >= SweepSteps }

// Play is what follows the moves of both robots, and what it earns.
func (t SweepTable) Play(first, second int) (next SweepTable, reward float64) {
	next = t
	next.Steps++
	for i, move := range []int{first, second} {
		if move >= 1 && move <= blocks {
			next.At[i] = move
		}
	}
	here := t.At[1]
	if second != sweeps || first != wait || here == 0 || t.At[0] != here || slices.Contains(t.Gone, here) {
		return next, 0
	}
	next.Gone = append(slices.Clone(t.Gone), here)
	if here != t.Decoy {
		reward = 1
	}
	return next, reward
}

// check returns what is wrong with a table of a problem.
func (t SweepTable) check() error {
	within := func(n, least int) bool { return n >= least && n <= blocks }
	if !within(t.Decoy, 1) || !within(t.At[0], 0) || !within(t.At[1], 0) || slices.ContainsFunc(t.Gone, func(b int) bool { return !within(b, 1) }) || len(t.Left()) == 0 {
		return fmt.Errorf("it has blocks 1 to %d and places 0 to %d, and a target is left", blocks, blocks)
	}
	return nil
}

// sweepProblems are all tables from which nothing is gone.
func sweepProblems() (train, held []task.Problem) {
	var all []SweepTable
	for decoy := 1; decoy <= blocks; decoy++ {
		for a := range blocks + 1 {
			for b := range blocks + 1 {
				all = append(all, SweepTable{Decoy: decoy, At: [2]int{a, b}})
			}
		}
	}
	return environment.HoldOut("sweep", all)
}

type sweepWorld struct{ agents []string }

// Reset implements [environment.Environment].
func (w sweepWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	var t SweepTable
	err := json.Unmarshal([]byte(p.Question), &t)
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return environment.Outcome{}, fmt.Errorf("sweep: problem %s is no table: %.80s: %w", p.ID, p.Question, err)
	}
	return w.show(t, [2]int{}, 0)
}

// Step implements [environment.Environment]. Who does not act waits.
func (w sweepWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var t SweepTable
	if err := json.Unmarshal(before, &t); err != nil {
		return environment.Outcome{}, fmt.Errorf("sweep: %w", err)
	}
	moves := [2]int{wait, wait}
	for i, name := range w.agents {
		if text, acts := actions[name]; acts {
			moves[i] = sweepMove(text, i)
		}
	}
	next, reward := t.Play(moves[0], moves[1])
	return w.show(next, moves, reward)
}

// sweepMove is the move of a robot, 0 or 1, by its text.
func sweepMove(text string, robot int) int {
	move, ok := environment.Digit(text, "012345")
	if !ok || robot == 0 && move == sweeps {
		return noMove
	}
	return move
}

// show is what both observe: where they stand, which targets are left, and whether their last text was no move.
func (w sweepWorld) show(t SweepTable, moves [2]int, reward float64) (environment.Outcome, error) {
	text, err := json.Marshal(t)
	o := environment.Outcome{State: text, Observations: map[string]string{}, Team: reward, Done: t.Over()}
	left := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Left()), " ", ""), "[]")
	for i, name := range w.agents {
		seen := fmt.Sprintf("at %d other %d left %s", t.At[i], t.At[1-i], left)
		if moves[i] == noMove {
			seen += " no move"
		}
		o.Observations[name] = seen
	}
	return o, err
}

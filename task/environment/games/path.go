// This file is a grid with walls on which two agents each go to a goal cell that both share.
//
// A problem is a grid of 3 × 3 cells, with no wall or one, two beginnings and a goal. Every step, each agent that acts moves by one cell: 1 up,
// 2 down, 3 left, 4 right, the first of these digits that it says. An agent that would walk into a wall or off the grid stays where it is, and
// the observation says so. Agents may share a cell.
//
// The team is paid 1 when both have arrived, and nothing before: what an episode earns is whether they got there. An agent's own reward is 1 in the
// step in which it arrives, whatever the other agent does. The shortest way is known: see [BestOnPath].

package games

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/task"
	"parley/task/environment"
)

// pathSide is how many cells a side of the grid has.
const pathSide = 3

// unreached is a distance from where the goal cannot be reached.
const unreached = pathSide * pathSide

// Path returns the game.
func Path() environment.Game {
	return environment.Game{
		Name: "path", About: "Two agents walk on a grid with walls, each to the goal.", Agents: 2, Least: 0, Most: 1,
		Board:    environment.Board{Side: pathSide, Text: walk},
		Open:     func(agents []string) environment.Environment { return pathWorld{agents} },
		Problems: pathProblems,
	}
}

// A maze is a problem: cells are numbered row by row.
type maze struct {
	Walls  []bool `json:"walls"`
	Starts [2]int `json:"starts"`
	Goal   int    `json:"goal"`
}

// A pathState is where both are.
type pathState struct {
	maze
	At [2]int `json:"at"`
}

// BestOnPath are the directions, 1 to 4, of an agent's shortest ways from where it is; none where it has arrived.
func BestOnPath(before json.RawMessage, agent int) (out []int, err error) {
	s, err := readPath(before)
	if err != nil {
		return nil, err
	}
	far := s.distances()
	for direction := 1; direction <= 4; direction++ {
		if to, ok := s.moved(s.At[agent], direction); ok && far[to] < far[s.At[agent]] {
			out = append(out, direction)
		}
	}
	return out, nil
}

// readPath reads a state.
func readPath(text json.RawMessage) (s pathState, err error) {
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("path: %w", err)
	}
	return s, nil
}

// moved is the cell in a direction, 1 to 4; ok is false where a wall or the edge is.
func (m maze) moved(cell, direction int) (to int, ok bool) {
	if to, ok = moved(cell, direction, pathSide); !ok || m.Walls[to] {
		return cell, false
	}
	return to, true
}

// distances are the lengths of the shortest ways from each cell to the goal, breadth first.
func (m maze) distances() [pathSide * pathSide]int {
	var out [pathSide * pathSide]int
	for i := range out {
		out[i] = unreached
	}
	out[m.Goal] = 0
	for queue := []int{m.Goal}; len(queue) > 0; queue = queue[1:] {
		for direction := 1; direction <= 4; direction++ {
			if to, ok := m.moved(queue[0], direction); ok && out[to] == unreached {
				out[to] = out[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return out
}

// mazes lists every maze in which both have a way to go and a wall is nowhere or at one cell.
func mazes() []maze {
	var out []maze
	for wall := -1; wall < pathSide*pathSide; wall++ {
		for goal := range pathSide * pathSide {
			m := maze{Walls: make([]bool, pathSide*pathSide), Goal: goal}
			if wall == goal {
				continue
			}
			if wall >= 0 {
				m.Walls[wall] = true
			}
			far := m.distances()
			for a := range far {
				for b := range far {
					if way := func(c int) bool { return far[c] > 0 && far[c] < unreached && !m.Walls[c] }; way(a) && way(b) {
						m.Starts = [2]int{a, b}
						out = append(out, m)
					}
				}
			}
		}
	}
	return out
}

func pathProblems() (train, held []task.Problem) { return environment.HoldOut("path", mazes()) }

type pathWorld struct{ agents []string }

// Reset implements [environment.Environment].
func (w pathWorld) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	var s pathState
	if err := json.Unmarshal([]byte(p.Question), &s.maze); err != nil || len(s.Walls) != pathSide*pathSide {
		return environment.Outcome{}, fmt.Errorf("path: problem %s is no maze: %.80s", p.ID, p.Question)
	}
	s.At = s.Starts
	return w.show(s, [2]bool{})
}

// Step implements [environment.Environment].
func (w pathWorld) Step(_ context.Context, before json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	s, err := readPath(before)
	if err != nil {
		return environment.Outcome{}, err
	}
	var stuck [2]bool
	own := map[string]float64{}
	for i, name := range w.agents {
		text, acts := actions[name]
		if !acts || s.At[i] == s.Goal {
			continue
		}
		to, ok := s.moved(s.At[i], direction(text))
		s.At[i], stuck[i] = to, !ok || direction(text) == 0
		if to == s.Goal {
			own[name] = 1
		}
	}
	o, err := w.show(s, stuck)
	o.Agents = own
	return o, err
}

// show is what both observe, and the end where both have arrived.
func (w pathWorld) show(s pathState, stuck [2]bool) (environment.Outcome, error) {
	text, err := json.Marshal(s)
	o := environment.Outcome{State: text, Observations: map[string]string{}}
	if s.At[0] == s.Goal && s.At[1] == s.Goal {
		o.Done, o.Team = true, 1
	}
	for i, name := range w.agents {
		o.Observations[name] = s.seen(i, stuck[i])
	}
	return o, err
}

// seen is what an agent observes: rows and columns from 1 of itself and of the goal, and the ways that are free.
func (s pathState) seen(agent int, stuck bool) string {
	at := s.At[agent]
	free := ""
	for direction := 1; direction <= 4; direction++ {
		if _, ok := s.moved(at, direction); ok {
			free += fmt.Sprint(direction)
		}
	}
	text := fmt.Sprintf("at %d%d goal %d%d free %s", at/pathSide+1, at%pathSide+1, s.Goal/pathSide+1, s.Goal%pathSide+1, free)
	if stuck {
		text += " no way"
	}
	return text
}

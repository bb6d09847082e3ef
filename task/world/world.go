// Package world is the task of an environment that agents act in: one that comes with parley, or the user's own.
//
//	task: {name: environment, environment: {name: path}}
//	task: {name: environment, environment: {python: world.py}, path: items.jsonl, min_reward: 0, max_reward: 1}
//
// A problem is where an episode begins: an item of a game, or a row of the user's file, all of which reset gets. The environment pays, step by
// step; there is nothing to score afterwards.
//
// Environments that users write instead of Go are a Python file, a program, or a server. All of them get the same calls,
// {"call":"reset","item":{…}} and {"call":"step","state":…,"actions":{"north":"…"}}, and give the same answer,
// {"state":…,"observations":{"north":"…"},"rewards":{"north":0.5},"done":false}. An answer that cannot be read is an error
// that says what is wrong with it, with the user's own traceback where there is one.
//
//	external.go  environments of users that are pure functions
//	stateful.go  those that are not: an episode has a process of its own, from reset to its end
//	sources.go   who answers: a process, a server, a sandbox for each call
//	nursery.go   a process that has loaded a Python file, and forks one for each episode
//	openenv.go   an episode at a server of OpenEnv
//	room.go      a sandbox for an episode
//	line.go      how the process of an episode is asked
//	answer.go    what an answer says
package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/task"
	"parley/task/environment"
)

// Task is an environment with its problems.
type Task struct {
	world       environment.Environment
	splits      map[task.Split][]task.Problem
	least, most float64
	leftOut     int
	notes       string
	pairs       []string
	games       int // that a number of play is made of
	every       int // updates between measurements of play; 0: there are none
}

// Name implements [task.Task].
func (t *Task) Name() string { return name }

// Problems implements [task.Task].
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	list, ok := t.splits[split]
	if !ok {
		return nil, fmt.Errorf("task %s: no split %q: write train or test", name, split)
	}
	return list[:min(max(n, 0), len(list))], nil
}

// World is where agents act.
func (t *Task) World() environment.Environment { return t.world }

// Playing says of how many games a number of how the team plays is made, and after how many updates there are new ones; 0: none in training.
func (t *Task) Playing() (games, every int) { return t.games, t.every }

// Pairs are the numbers of how a team plays that say something of two players who have never met; none: what they are paid does.
func (t *Task) Pairs() []string { return t.pairs }

// Range returns the least and the greatest reward of a step, and of the sum of the team's over an episode.
func (t *Task) Range() (least, greatest float64) { return t.least, t.most }

// errSteps is why texts alone have no score.
var errSteps = errors.New("an environment pays step by step: texts without it have no reward")

// Score implements [task.JointScorer]: it is an error.
func (t *Task) Score(context.Context, task.Problem, []string) (task.Score, error) {
	return task.Score{}, errSteps
}

// LeftOut implements [task.Overlapper].
func (t *Task) LeftOut() int { return t.leftOut }

// Account says what became of files and rows; empty: nothing that needs to be said.
func (t *Task) Account() string { return t.notes }

// Close ends the user's environment.
func (t *Task) Close() error {
	if c, ok := t.world.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// fallback is what reset gets of a problem that is none of the task's: its own JSON.
func fallback(p task.Problem) json.RawMessage {
	text, err := json.Marshal(p)
	if err != nil {
		panic("internal error: " + err.Error()) // texts
	}
	return text
}

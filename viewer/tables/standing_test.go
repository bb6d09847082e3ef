package tables

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/rl/rollout"
	"parley/task"
	"parley/team"
)

// saidBy is a node of one agent with one answer, whose prompt shows some texts.
func saidBy(turn, parent, agent int, text string, correct bool, shows ...string) *rollout.Node {
	a := rollout.AgentTurn{Agent: agent, Completions: []rollout.Completion{{Text: text, HasAnswer: true, Correct: correct}}}
	for _, t := range shows {
		a.Messages = append(a.Messages, team.Message{Role: team.User, Content: "They wrote: " + t})
	}
	return &rollout.Node{Turn: turn, Parent: parent, ParentAction: min(parent, 0), Agents: []rollout.AgentTurn{a}, Joint: [][]int{{0}}}
}

// TestStandings: who was right and read, and what became of those who had answered before and read somebody since.
func TestStandings(t *testing.T) {
	const writer, critic, mute = 0, 1, 2
	truth := task.Problem{ID: "p", Truth: "4"}
	for name, x := range map[string]struct {
		nodes []*rollout.Node
		want  map[int]Standing
	}{
		"a critic sets a writer right": {
			[]*rollout.Node{saidBy(0, -1, writer, "It is 5.", false), saidBy(1, 0, critic, "No, it is 4.", true, "It is 5."), saidBy(2, 1, writer, "So it is 4.", true, "No, it is 4.")},
			map[int]Standing{writer: {Judged: 2, Right: 1, Asked: 1, Read: 1}, critic: {Judged: 1, Right: 1, Asked: 1, Read: 1, Heard: 1, Helped: 1}},
		},
		"a critic sets a writer wrong": {
			[]*rollout.Node{saidBy(0, -1, writer, "It is 4.", true), saidBy(1, 0, critic, "No, it is 5.", false, "It is 4."), saidBy(2, 1, writer, "So it is 5.", false, "No, it is 5.")},
			map[int]Standing{writer: {Judged: 2, Right: 1, Asked: 1, Read: 1}, critic: {Judged: 1, Asked: 1, Read: 1, Heard: 1, Harmed: 1}},
		},
		"nobody reads the mute one": {
			[]*rollout.Node{saidBy(0, -1, writer, "It is 5.", false), saidBy(1, 0, mute, "I say 4 too.", true), saidBy(2, 1, writer, "Then 4.", true)},
			map[int]Standing{writer: {Judged: 2, Right: 1, Asked: 1}, mute: {Judged: 1, Right: 1, Asked: 1}},
		},
		"what was read before the last answer set nobody right": {
			[]*rollout.Node{saidBy(0, -1, critic, "Mind the units.", false), saidBy(1, 0, writer, "It is 5.", false, "Mind the units."), saidBy(2, 1, writer, "It is 4.", true, "Mind the units.")},
			map[int]Standing{writer: {Judged: 2, Right: 1}, critic: {Judged: 1, Asked: 1, Read: 1}},
		},
		"an earlier checkpoint is not the agent": {
			[]*rollout.Node{opponent(saidBy(0, -1, writer, "It is 4.", true)), saidBy(1, 0, critic, "It is 5.", false, "It is 4.")},
			map[int]Standing{critic: {Judged: 1}},
		},
	} {
		s := Standings{Agents: map[int]*Standing{}}
		s.count(nil, &rollout.Episode{Problem: truth, Nodes: x.nodes})
		got := map[int]Standing{}
		for agent, one := range s.Agents {
			got[agent] = *one
		}
		if !maps.Equal(got, x.want) {
			t.Errorf("%s: %+v, expected %+v", name, got, x.want)
		}
	}
}

func opponent(n *rollout.Node) *rollout.Node {
	n.Agents[0].Opponent = "update-1"
	return n
}

// TestReadStandings: all updates are read where there is time, in their order; where there is none, none is, and that is no error.
func TestReadStandings(t *testing.T) {
	dir := filepath.Join("..", "testdata", "runs", "review-tiny")
	list, left, err := ReadStandings(t.Context(), dir, nil)
	if err != nil || len(left) != 0 || len(list) != 2 || list[0].Update != 1 || list[1].Agents[0].Judged == 0 || list[1].Agents[1].Heard == 0 {
		t.Errorf("read are %+v, %v, %v", list, left, err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if list, _, err := ReadStandings(late, dir, nil); err != nil || len(list) != 0 {
		t.Errorf("without time read are %+v, %v", list, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := ReadStandings(stopped, dir, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if got := spread([]int{1, 2, 3, 4, 5, 6, 7}); !slices.Equal(got, []int{7, 3, 5, 1, 6, 4, 2}) {
		t.Errorf("in coarse steps first: %v", got)
	}
}

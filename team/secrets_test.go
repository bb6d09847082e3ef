package team

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"parley/task"
)

var (
	viewers = Viewers{"solution": {"user"}, "notes": {"user", "critic"}}
	agents  = []string{"agent", "user", "critic"}
	problem = task.Problem{ID: "p", Fields: map[string]string{"solution": "S", "notes": "N", "open": "O"}}
)

// TestOpen: an agent reads what it is named for and what nobody is named for; the problem stays as it is.
func TestOpen(t *testing.T) {
	for agent, want := range map[string]string{"agent": "O", "user": "NOS", "critic": "NO", "": "O"} {
		got, open := "", viewers.Open(problem.Fields, agent)
		for _, field := range []string{"notes", "open", "solution"} {
			got += open[field]
		}
		if got != want || len(open) != len(want) {
			t.Errorf("%q sees %v, want %s", agent, open, want)
		}
	}
	if len(problem.Fields) != 3 {
		t.Errorf("the problem has %v left", problem.Fields)
	}
	if fields, names := viewers.Unknown(agents[:2]); len(fields) != 1 || fields[0] != "notes" || names[0] != "critic" {
		t.Errorf("unknown are %v of %v", names, fields)
	}
}

// TestKept: an ask is compared with what it is about another problem, field by field and agent by agent.
func TestKept(t *testing.T) {
	says := func(agent int, field string) func(task.Problem) (Move, error) {
		return func(p task.Problem) (Move, error) {
			return Move{Asks: []Ask{{Agent: agent, Messages: []Message{{Role: User, Content: p.Fields[field]}}}}}, nil
		}
	}
	for _, c := range []struct {
		agent int
		field string
		leaks bool
	}{
		{0, "open", false}, {0, "solution", true}, {0, "notes", true}, {1, "solution", false}, {1, "notes", false}, {2, "solution", true}, {2, "notes", false},
	} {
		move := says(c.agent, c.field)
		m, _ := move(problem)
		before := maps.Clone(problem.Fields)
		err := viewers.Kept(problem, agents, m, move)
		if (err != nil) != c.leaks || c.leaks && !strings.Contains(err.Error(), "the prompt of "+agents[c.agent]+" in turn 1 depends on the field "+c.field) {
			t.Errorf("%s reads %s: %v", agents[c.agent], c.field, err)
		}
		if !maps.Equal(before, problem.Fields) {
			t.Errorf("the problem is %v now", problem.Fields)
		}
	}
	whoever := func(p task.Problem) (Move, error) { return says(len(p.Fields["solution"])-1, "open")(p) }
	m, _ := whoever(problem)
	if err := viewers.Kept(problem, agents, m, whoever); err == nil || !strings.Contains(err.Error(), "who speaks depends on the field solution") {
		t.Errorf("it says %v", err)
	}
	broken := errors.New("broken")
	if err := viewers.Kept(problem, agents, m, func(task.Problem) (Move, error) { return Move{}, broken }); !errors.Is(err, broken) {
		t.Errorf("it says %v", err)
	}
}

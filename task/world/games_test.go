package world

import (
	"fmt"
	"regexp"
	"testing"

	"parley/task/environment"
	"parley/task/environment/games"
)

// TestGames: every game begins from each of its problems, shows something to all who play it, and answers texts that are no move within its bounds
// until it is over or nothing happens any more. No two have a name, and no two problems an id.
func TestGames(t *testing.T) {
	names := map[string]bool{}
	for _, g := range games.All() {
		if names[g.Name] {
			t.Errorf("two games are %s", g.Name)
		}
		names[g.Name] = true
		agents := make([]string, g.Agents)
		said := map[string]string{}
		for i := range agents {
			agents[i] = fmt.Sprintf("agent%d", i+1)
			said[agents[i]] = "What is this?"
		}
		world := g.Open(agents)
		bounds := environment.Bounds{Agents: agents, Least: g.Least, Most: g.Most}
		train, held := g.Problems()
		ids := map[string]bool{}
		for _, p := range append(train, held...) {
			if ids[p.ID] {
				t.Fatalf("%s: two problems are %s", g.Name, p.ID)
			}
			ids[p.ID] = true
			o, err := world.Reset(t.Context(), p)
			if text := o.All + o.Observations["agent2"]; g.Board.Side > 0 && !regexp.MustCompile(g.Board.Text).MatchString(text) {
				t.Errorf("%s draws nothing of %q", g.Name, text)
			}
			if err != nil || bounds.Complete(o) != nil || o.Done || o.Team != 0 {
				t.Fatalf("%s: %s begins with %+v, %v", g.Name, p.ID, o, err)
			}
			sum := 0.
			for step := 0; step < 20 && !o.Done; step++ {
				if o, err = world.Step(t.Context(), o.State, said); err == nil {
					err = bounds.Check(o, sum)
				}
				if err != nil {
					t.Fatalf("%s: %s, step %d: %v", g.Name, p.ID, step+1, err)
				}
				sum += o.Team
			}
			if sum > 0 {
				t.Errorf("%s: %s pays %v for nothing", g.Name, p.ID, sum)
			}
		}
		if len(train) == 0 || len(held) == 0 {
			t.Errorf("%s has %d and %d problems", g.Name, len(train), len(held))
		}
	}
}

package measure

import (
	"reflect"
	"testing"

	"parley/rl/rollout"
)

// A debate names its speakers where they change from turn to turn.
func TestSpeakersAreNamed(t *testing.T) {
	node := func(agents ...int) *rollout.Node {
		n := new(rollout.Node)
		for _, a := range agents {
			n.Agents = append(n.Agents, rollout.AgentTurn{Agent: a, Completions: make([]rollout.Completion, 1)})
		}
		return n
	}
	for _, c := range []struct {
		nodes []*rollout.Node
		want  [][]int
	}{
		{[]*rollout.Node{node(0, 1), node(0, 1)}, nil},
		{[]*rollout.Node{node(0), node(1)}, [][]int{{0}, {1}}},
		{[]*rollout.Node{node(1, 2), node(0)}, [][]int{{1, 2}, {0}}},
	} {
		if got := debateAnswers(&rollout.Episode{Nodes: c.nodes}).debate.Speakers; !reflect.DeepEqual(got, c.want) {
			t.Errorf("speakers %v, want %v", got, c.want)
		}
	}
}

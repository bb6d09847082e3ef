package rollout_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"

	"pgregory.net/rapid"
)

// some is a protocol in which a drawn set of agents speaks in each turn. With all of them it is the debate that it wraps.
type some struct {
	team.Protocol
	speakers [][]int // by turn
}

func (s some) Next(p task.Problem, h team.History) ([]team.Ask, error) {
	turn := 0
	if len(h) > 0 {
		turn = h[len(h)-1].Turn + 1
	}
	if turn >= len(s.speakers) {
		return nil, nil
	}
	var out []team.Ask
	for _, agent := range s.speakers[turn] {
		out = append(out, team.Ask{Turn: turn, Agent: agent, Messages: []team.Message{{Role: team.User, Content: fmt.Sprintf("%s %d %v", p.Question, agent, h)}}})
	}
	return out, nil
}

// keeping keeps what it is asked to score.
type keeping struct {
	vowels
	items *[]rollout.ScoreItem
}

func (k keeping) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	*k.items = append(*k.items, turn...)
	return k.vowels.Score(ctx, turn)
}

// TestSomeSpeak: nodes hold those whom the protocol asks, everybody else keeps what was said last, and a joint response is complete once
// all have spoken.
func TestSomeSpeak(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		agents := rapid.IntRange(1, 4).Draw(rt, "agents")
		turns := rapid.IntRange(1, 3).Draw(rt, "turns")
		speakers := make([][]int, turns)
		for turn := range speakers {
			for agent := range agents {
				if rapid.Bool().Draw(rt, "speaks") {
					speakers[turn] = append(speakers[turn], agent)
				}
			}
			if len(speakers[turn]) == 0 {
				speakers[turn] = []int{rapid.IntRange(0, agents-1).Draw(rt, "speaker")}
			}
		}
		r := runner(t, &dice{}, agents, turns, rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3})
		var items []rollout.ScoreItem
		r.Protocol, r.Scorer = some{r.Protocol, speakers}, keeping{vowels{turns}, &items}
		for _, e := range play(t, r, 2) {
			for i, n := range e.Nodes {
				var asked []int
				for _, a := range n.Agents {
					asked = append(asked, a.Agent)
				}
				if !reflect.DeepEqual(asked, speakers[n.Turn]) {
					rt.Fatalf("node %d of turn %d asks %v, want %v", i, n.Turn, asked, speakers[n.Turn])
				}
			}
		}
		for _, item := range items {
			spoken := map[int]bool{}
			for _, turn := range speakers[:item.Node.Turn+1] {
				for _, agent := range turn {
					spoken[agent] = true
				}
			}
			texts, complete := item.Responses(item.Node.Joint[0])
			if len(texts) != agents || complete != (len(spoken) == agents) {
				rt.Fatalf("turn %d: %d texts, complete %v, after %v", item.Node.Turn, len(texts), complete, speakers)
			}
			for agent, text := range texts {
				if spoken[agent] != (text != "") {
					rt.Fatalf("agent %d said %q after %v", agent, text, speakers[:item.Node.Turn+1])
				}
			}
		}
	})
}

// TestAsksOutOfOrder: asks that are not those of one turn in agent order are refused.
func TestAsksOutOfOrder(t *testing.T) {
	for _, speakers := range [][]int{{1, 0}, {0, 0}, {5}} {
		r := runner(t, &dice{}, 2, 1, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3})
		r.Protocol = some{r.Protocol, [][]int{speakers}}
		if _, err := r.Run(context.Background(), "test", 0, problems(1)); err == nil || !strings.Contains(err.Error(), "in agent order") {
			t.Errorf("%v: error %v", speakers, err)
		}
	}
}

// Package teamtest has what teams are measured by: the conformance suite of protocols, and references of published ones.
//
//	teamtest.go  what every [team.Protocol] must do, whatever it decides
//	shapes.go    teams of well-known forms as workflows: who speaks after whom, and who sees what: [Chain] (MALT), [Star] and [Cached] (MLPO), [Consult] (SWEET-RL)
//	discuss.go   Corex (arXiv 2310.00280, §3): two teams answer in rounds, each for itself; where they differ a judge decides ([Rules.Play])
//	consult.go   all answer alone, and one scores how faithful each chain is to its own answer ([Retrieve]); one answers, the others in turn rewrite it
//	             ([Review])
//
// In Corex the order of the agents says who plays which part. A play asks agents through a function of the caller. Each call lists what the prompt shows
// ([Call.Sees]), and the function gets nothing else to show. Where an answer is not there yet the play comes back and waits, so it can be gone through
// again with a longer history, as a protocol is.
package teamtest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/task"
	"parley/team"
)

// secret is the truth of the problem that protocols are tried on: it must not reach a message.
const secret = "TRUTH-4711"

// Problem is what protocols are tried on.
var Problem = task.Problem{ID: "p", Question: "How many?", Truth: secret, Canonical: secret, Fields: map[string]string{"title": "T"}}

// Run plays an episode of p and checks every turn of it: asks are those of one turn in agent order, end with a user message and hold no
// truth; the same arguments give the same asks and are not changed; what an agent has said in an earlier turn does not change what it was
// asked before; the episode ends within p.Turns() turns, in which every agent has spoken. Where p calls an environment, there is one.
func Run(t *testing.T, p team.Protocol) {
	t.Helper()
	if spoken := Play(t, p, Problem); spoken != p.Agents() {
		t.Errorf("%d of %d agents have spoken", spoken, p.Agents())
	}
}

// Play is [Run] on a problem of the caller's, for teams in which some agents may be silent. It returns how many have spoken.
func Play(t *testing.T, p team.Protocol, problem task.Problem) int {
	t.Helper()
	problem.Truth, problem.Canonical = secret, secret
	var h team.History
	spoken := map[int]bool{}
	for turn := 0; ; turn++ {
		h = acted(t, p, problem, h, turn)
		before := append(team.History(nil), h...)
		asks, err := p.Next(problem, h)
		if err != nil {
			t.Fatalf("turn %d: %v", turn+1, err)
		}
		again, err := p.Next(problem, h)
		if err != nil || !reflect.DeepEqual(asks, again) {
			t.Errorf("turn %d: the same arguments give other asks: %v", turn+1, err)
		}
		if !reflect.DeepEqual(h, before) {
			t.Errorf("turn %d: Next changes the history", turn+1)
		}
		if len(asks) == 0 {
			if turn == 0 || turn > p.Turns() {
				t.Errorf("the episode ends after %d turns of at most %d", turn, p.Turns())
			}
			break
		}
		if turn >= p.Turns() {
			t.Fatalf("turn %d follows, of at most %d", turn+1, p.Turns())
		}
		checkAsks(t, p, turn, asks)
		for _, a := range asks {
			spoken[a.Agent] = true
			h = append(h, team.Answer{Turn: turn, Agent: a.Agent, Text: fmt.Sprintf("answer of agent %d in turn %d", a.Agent+1, turn+1), Score: 0.5, Report: "report"})
		}
	}
	return len(spoken)
}

// acted is a history and what an environment shows, which always goes on, as long as p calls for it.
func acted(t *testing.T, p team.Protocol, problem task.Problem, h team.History, turn int) team.History {
	t.Helper()
	mover, calls := p.(team.Mover)
	for calls {
		m, err := mover.Move(problem, h)
		if err != nil {
			t.Fatalf("turn %d: %v", turn+1, err)
		}
		if calls = m.Acts; calls {
			shown := &team.Observation{State: []byte("{}")}
			for agent := range p.Agents() {
				shown.Texts = append(shown.Texts, fmt.Sprintf("what agent %d observes before turn %d", agent+1, turn+1))
			}
			h = append(h, team.Answer{Turn: turn - 1, Agent: team.World, Observed: shown})
		}
	}
	return h
}

func checkAsks(t *testing.T, p team.Protocol, turn int, asks []team.Ask) {
	t.Helper()
	last := -1
	for _, a := range asks {
		if a.Turn != turn || a.Agent <= last || a.Agent >= p.Agents() {
			t.Errorf("turn %d: an ask of agent %d in turn %d after agent %d", turn+1, a.Agent+1, a.Turn+1, last+1)
		}
		last = a.Agent
		if len(a.Messages) == 0 || a.Messages[len(a.Messages)-1].Role != team.User {
			t.Errorf("turn %d: agent %d is not asked by a user message: %v", turn+1, a.Agent+1, a.Messages)
		}
		for _, m := range a.Messages {
			if strings.Contains(m.Content, secret) {
				t.Errorf("turn %d: agent %d reads the truth", turn+1, a.Agent+1)
			}
		}
	}
}

package teamtest_test

import (
	"strings"
	"testing"

	"parley/team/teamtest"

	"pgregory.net/rapid"

	"parley/task"
	"parley/team"
	"parley/team/workflow"
)

func load(t rapid.TB, s workflow.Spec) *workflow.Workflow {
	t.Helper()
	w, err := workflow.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// play has every agent say its name and turn, and hands each prompt to look, until the episode is over.
func play(t rapid.TB, w *workflow.Workflow, p task.Problem, look func(name, prompt string)) team.History {
	t.Helper()
	var h team.History
	for {
		asks, err := w.Next(p, h)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			return h
		}
		for _, a := range asks {
			name, text := w.Spec().Agents[a.Agent].Name, ""
			for _, m := range a.Messages {
				text += m.Content + "\n"
			}
			look(name, text)
			h = append(h, team.Answer{Turn: a.Turn, Agent: a.Agent, Text: "<said by " + name + ">", Prompt: a.Prompt})
		}
	}
}

// TestChain: the verifier never reads the refiner, the generator reads neither, whatever the number of passes.
func TestChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := []string{"g", "v", "r"}[:rapid.IntRange(1, 3).Draw(t, "roles")]
		w := load(t, teamtest.Chain(roles, rapid.IntRange(1, 4).Draw(t, "passes")))
		play(t, w, task.Problem{Question: "Q"}, func(name, prompt string) {
			for i, other := range roles {
				before := i < strings.Index("gvr", name)
				if strings.Contains(prompt, "<said by "+other+">") != before {
					t.Fatalf("%s is asked %q", name, prompt)
				}
			}
		})
	})
}

// TestStar: after the first round a peer reads the leader's text and its own, no other peer's. A query costs rounds·(peers+1) generations.
func TestStar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		peers, rounds := rapid.IntRange(1, 5).Draw(t, "peers"), rapid.IntRange(1, 5).Draw(t, "rounds")
		asked := map[string]int{}
		h := play(t, load(t, teamtest.Star(peers, rounds)), task.Problem{Question: "Q"}, func(name, prompt string) {
			asked[name]++
			for i := range peers {
				reads := name == teamtest.Leader || name == teamtest.Peer(i) && asked[name] > 1
				if strings.Contains(prompt, "<said by "+teamtest.Peer(i)+">") != reads {
					t.Fatalf("%s is asked %q", name, prompt)
				}
			}
		})
		if len(h) != rounds*(peers+1) {
			t.Fatalf("%d generations for %d peers in %d rounds", len(h), peers, rounds)
		}
	})
}

// TestConsult: the hidden text is in no prompt of the agent, and in every one of the user and the critic.
func TestConsult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := load(t, teamtest.Consult(rapid.IntRange(1, 6).Draw(t, "turns"), rapid.Bool().Draw(t, "critic")))
		p := task.Problem{Question: "Q", Fields: map[string]string{teamtest.Hidden: "the secret"}}
		play(t, w, p, func(name, prompt string) {
			if strings.Contains(prompt, "the secret") != (name != teamtest.Agent) || strings.Contains(prompt, "<said by critic>") {
				t.Fatalf("%s is asked %q", name, prompt)
			}
		})
	})
}

// TestCached: the leader reads the cache, and no peer is there to be asked.
func TestCached(t *testing.T) {
	w := load(t, teamtest.Cached(2))
	play(t, w, task.Problem{Question: "Q", Fields: map[string]string{"cached1": "one", "cached2": "two"}}, func(name, prompt string) {
		if name != teamtest.Leader || !strings.Contains(prompt, "one") || !strings.Contains(prompt, "two") {
			t.Errorf("%s is asked %q", name, prompt)
		}
	})
}

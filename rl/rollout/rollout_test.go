package rollout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/train/record"
)

// dice is an engine whose completions are three random letters: a function of policy, prompt length and seed alone.
type dice struct {
	engine.Engine
	batches []int
}

func (d *dice) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	d.batches = append(d.batches, len(reqs))
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		rng := seed.Stream(r.Seed)
		for range min(3, r.MaxTokens) {
			out[i].Tokens = append(out[i].Tokens, rng.IntN(26))
			out[i].Logprobs = append(out[i].Logprobs, -1)
		}
		out[i].Stop = engine.StopLength
		out[i] = watched(r, out[i])
	}
	return out, nil
}

// letters is a codec with a token a letter.
type letters struct{}

func (letters) Prompt(dialogue []team.Message) ([]int, error) {
	var ids []int
	for _, m := range dialogue {
		for _, r := range m.Content {
			ids = append(ids, int(r))
		}
	}
	return ids, nil
}

func (letters) Text(tokens []int) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(byte('a' + t))
	}
	return b.String()
}

func (letters) Stop() []int { return nil }

// vowels rewards joint actions by their share of vowels.
type vowels struct{ agents int }

func (v vowels) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		v.node(t.Node)
	}
	return nil
}

func (v vowels) node(n *rollout.Node) {
	n.Rewards = make([]float64, len(n.Joint))
	for j, action := range n.Joint {
		for s, g := range action {
			n.Rewards[j] += float64(strings.Count(n.Agents[s].Completions[g].Text, "a")+strings.Count(n.Agents[s].Completions[g].Text, "e")) / float64(v.agents)
		}
	}
}

var plain = team.Prompts{First: "{{.Question}}", Later: "{{range .Others}}{{.Text}}{{end}}?"}

func runner(t *testing.T, e engine.Engine, agents, turns int, s rollout.Settings) *rollout.Runner {
	t.Helper()
	p, err := protocols.Debate().Open(team.Settings{Agents: agents, Turns: turns, SeeOthers: true, Prompts: plain})
	if err != nil {
		t.Fatal(err)
	}
	r := &rollout.Runner{Protocol: p, Scorer: vowels{agents}, Settings: s, Seed: 7}
	for range agents {
		r.Actors = append(r.Actors, rollout.Actor{Engine: e, Codec: letters{}, Policy: func(int) engine.Policy { return "p" }})
	}
	return r
}

func problems(n int) []task.Problem {
	out := make([]task.Problem, n)
	for i := range out {
		out[i] = task.Problem{ID: fmt.Sprint(i), Question: fmt.Sprintf("question %d", i)}
	}
	return out
}

func play(t *testing.T, r *rollout.Runner, n int) []*rollout.Episode {
	t.Helper()
	eps, err := r.Run(context.Background(), "test", 3, problems(n))
	if err != nil {
		t.Fatal(err)
	}
	return eps
}

// TestTreeAccounting checks the table of magrpo.md §2.2 on real rollouts.
func TestTreeAccounting(t *testing.T) {
	for _, c := range []struct {
		group, agents, turns      int
		joint                     credit.JointMode
		nodes, steps, generations int
	}{
		{4, 2, 1, credit.Aligned, 1, 4, 8},
		{4, 2, 1, credit.Cross, 1, 16, 8},
		{4, 2, 2, credit.Aligned, 5, 20, 40},
		{4, 2, 2, credit.Cross, 17, 272, 136},
		{2, 2, 4, credit.Aligned, 15, 30, 60},
		{2, 2, 4, credit.Cross, 85, 340, 340},
		{1, 3, 3, credit.Aligned, 3, 3, 9},
	} {
		eps := play(t, runner(t, &dice{}, c.agents, c.turns, rollout.Settings{Group: c.group, Joint: c.joint, MaxTokens: 3}), 2)
		got := record.CostsOf(eps)
		if got.Nodes != 2*c.nodes || got.Steps != 2*c.steps || got.Generations != 2*c.generations || got.Tokens != 6*c.generations {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
}

func TestChainFollowsTheBestJointAction(t *testing.T) {
	for _, e := range play(t, runner(t, &dice{}, 2, 3, rollout.Settings{Group: 4, Joint: credit.Aligned, Chain: true, MaxTokens: 3}), 5) {
		if len(e.Nodes) != 3 {
			t.Fatalf("%d nodes in a chain of 3 turns", len(e.Nodes))
		}
		for i, n := range e.Nodes[1:] {
			parent := e.Nodes[i]
			for j, r := range parent.Rewards {
				if r > parent.Rewards[n.ParentAction] || (r == parent.Rewards[n.ParentAction] && j < n.ParentAction) {
					t.Errorf("turn %d continues joint action %d of rewards %v", n.Turn, n.ParentAction, parent.Rewards)
				}
			}
		}
	}
}

func TestEarlyTerminationIsPerNode(t *testing.T) {
	s := rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3, Ends: func(n *rollout.Node) bool { return n.Rewards[0]+n.Rewards[1] > 0.8 }}
	eps := play(t, runner(t, &dice{}, 2, 3, s), 20)
	ended, full := 0, record.Counts{}
	for _, e := range eps {
		children := map[int]int{}
		for _, n := range e.Nodes {
			children[n.Parent]++
		}
		for i, n := range e.Nodes {
			want := len(n.Joint)
			if n.Ended || n.Turn == 2 {
				want = 0
			}
			if children[i] != want {
				t.Errorf("node of turn %d, ended %v: %d children, want %d", n.Turn, n.Ended, children[i], want)
			}
			if n.Ended {
				ended++
			}
		}
	}
	full = record.CostsOf(eps)
	if ended == 0 || full.Nodes >= 20*7 {
		t.Errorf("%d nodes ended early, %d played: the rule never fired", ended, full.Nodes)
	}
}

// TestLaterTurnsSeeTheJointAction: the prompt of a child shows what the others said in the joint action it continues.
func TestLaterTurnsSeeTheJointAction(t *testing.T) {
	for _, e := range play(t, runner(t, &dice{}, 2, 2, rollout.Settings{Group: 2, Joint: credit.Cross, MaxTokens: 3}), 3) {
		for _, n := range e.Nodes[1:] {
			parent := e.Nodes[n.Parent]
			for reader := range n.Agents {
				other := 1 - reader
				agentTurn := parent.Agents[other].Completions[parent.Joint[n.ParentAction][other]].Text
				if last := n.Agents[reader].Messages[2].Content; last != agentTurn+"?" {
					t.Errorf("agent %d reads %q, the other said %q", reader, last, agentTurn)
				}
			}
		}
	}
}

func TestOneBatchPerTurnAndEngine(t *testing.T) {
	a, b := &dice{}, &dice{}
	r := runner(t, a, 2, 2, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3})
	r.Actors[1].Engine = b
	play(t, r, 10)
	if !reflect.DeepEqual(a.batches, []int{10, 10}) || !reflect.DeepEqual(b.batches, []int{10, 10}) {
		t.Errorf("batches %v and %v: want one a turn with all questions", a.batches, b.batches)
	}
}

// TestEpisodesDoNotDependOnTheirBatch: a problem gives the same episode alone and among others, and an episode survives JSON.
func TestEpisodesDoNotDependOnTheirBatch(t *testing.T) {
	s := rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3}
	many := play(t, runner(t, &dice{}, 2, 2, s), 6)
	few := play(t, runner(t, &dice{}, 2, 2, s), 3)
	for i := range few {
		a, _ := json.Marshal(few[i])
		b, _ := json.Marshal(many[i])
		if !bytes.Equal(a, b) {
			t.Errorf("problem %d differs", i)
		}
		var back rollout.Episode
		if err := json.Unmarshal(a, &back); err != nil {
			t.Fatal(err)
		}
		if c, _ := json.Marshal(&back); !bytes.Equal(a, c) {
			t.Error("an episode changes when written and read")
		}
	}
	other := runner(t, &dice{}, 2, 2, s)
	other.Seed = 8
	a, _ := json.Marshal(play(t, other, 3)[0])
	if b, _ := json.Marshal(few[0]); bytes.Equal(a, b) {
		t.Error("another seed gives the same episode")
	}
}

func TestLimitRefuses(t *testing.T) {
	r := runner(t, &dice{}, 2, 3, rollout.Settings{Group: 4, Joint: credit.Cross, MaxTokens: 3, Limit: 100})
	if _, err := r.Run(context.Background(), "test", 0, problems(1)); err == nil || !strings.Contains(err.Error(), "limits.generations 100") {
		t.Errorf("no refusal: %v", err)
	}
}

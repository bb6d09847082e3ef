package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/team/workflow"
)

// race is an environment in which a team earns what share of letters its agents' words have below 'n', and the agent whose word comes first in
// the alphabet a point of its own. It is over after two steps.
type race struct{ lie string }

func (e race) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	switch {
	case e.lie == "shows a alone":
		return environment.Outcome{State: json.RawMessage("0"), Observations: map[string]string{"a": "start"}}, nil
	case e.lie == "is over":
		return environment.Outcome{State: json.RawMessage("0"), All: "start", Done: true}, nil
	case e.lie == "gives":
		return environment.Outcome{State: json.RawMessage("0"), All: "start", Agents: map[string]float64{"a": 1}}, nil
	case e.lie == "does not begin":
		return environment.Outcome{}, errors.New("no cards")
	}
	return environment.Outcome{State: json.RawMessage("0"), All: "start of " + p.ID}, nil
}

func (e race) Step(_ context.Context, state json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	var step int
	if err := json.Unmarshal(state, &step); err != nil {
		return environment.Outcome{}, err
	}
	out := environment.Outcome{
		State: json.RawMessage(fmt.Sprint(step + 1)), Done: step == 1, Agents: map[string]float64{},
		Observations: map[string]string{"a": fmt.Sprintf("b said %s", actions["b"])},
	}
	for _, r := range actions["a"] + actions["b"] {
		if r < 'n' {
			out.Team += 1. / 12
		}
	}
	if actions["a"] < actions["b"] {
		out.Agents["a"] = 1
	}
	switch {
	case e.lie == "reward" && step == 1:
		out.Team = 7
	case e.lie == "own" && step == 1:
		out.Agents["b"] = -0.1
	case e.lie == "nan" && step == 1:
		out.Team = math.NaN()
	case e.lie == "infinite":
		out.Agents["a"] = math.Inf(1)
	case e.lie == "grows":
		out.State = json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	case e.lie == "talks":
		out.Observations["b"] = strings.Repeat("x", 1<<18+1)
	case e.lie == "long":
		out.Observations["b"] = strings.Repeat("x", 1<<18)
	case e.lie == "stranger":
		out.Observations["c"] = "hello"
	case e.lie == "state":
		out.State = json.RawMessage("{")
	case e.lie == "dies" && actions["a"] < "m":
		return out, errors.New("it died")
	}
	return out, nil
}

func racer(t *testing.T, lie string, s rollout.Settings) *rollout.Runner {
	t.Helper()
	p, err := workflow.New(workflow.Spec{
		World: true, Agents: []workflow.Agent{{Name: "a"}, {Name: "b"}},
		Steps: []workflow.Step{{Place: "s", Repeat: 3, Steps: []workflow.Step{
			{Place: "s.0", Ask: []string{"a", "b"}, Prompts: []string{"{{.Observation}}"}},
			{Place: "s.1", Act: []string{"a", "b"}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := runner(t, &dice{}, 2, 1, s)
	r.Protocol, r.Scorer = p, unpaid{}
	for i, name := range []string{"a", "b"} {
		r.Actors[i].Name = name
	}
	r.World = &rollout.World{Environment: race{lie}, Bounds: environment.Bounds{Agents: []string{"a", "b"}, Most: 2}}
	return r
}

// unpaid gives nothing: the environment pays.
type unpaid struct{}

func (unpaid) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		t.Node.Rewards = make([]float64, len(t.Node.Joint))
	}
	return nil
}

// TestWorld: agents see what the environment shows, rewards are those of the joint action before, and its end ends the episode, in trees and
// whole episodes alike.
func TestWorld(t *testing.T) {
	for _, s := range []rollout.Settings{
		{Group: 1, Joint: credit.Aligned, MaxTokens: 3},
		{Group: 3, Joint: credit.Aligned, MaxTokens: 3},
		{Group: 2, Joint: credit.Cross, MaxTokens: 3},
		{Group: 1, Episodes: 4, Joint: credit.Aligned, MaxTokens: 3},
	} {
		for _, e := range play(t, racer(t, "", s), 3) {
			if why := e.Failed(); why != "" {
				t.Fatal(why)
			}
			for i, n := range e.Nodes {
				prompt := n.Agents[0].Messages[0].Content
				switch {
				case n.Parent < 0 && prompt != "start of "+e.Problem.ID:
					t.Errorf("the first prompt is %q", prompt)
				case n.Parent >= 0:
					before := e.Nodes[n.Parent]
					said := before.Agents[1].Completions[before.Joint[n.ParentAction][1]].Text
					if prompt != "b said "+said || n.Agents[1].Messages[0].Content != "start of "+e.Problem.ID {
						t.Errorf("a is asked %q after b said %q, and b %q", prompt, said, n.Agents[1].Messages[0].Content)
					}
				}
				for j, action := range n.Joint {
					a, b := n.Agents[0].Completions[action[0]].Text, n.Agents[1].Completions[action[1]].Text
					own := 0.
					if a < b {
						own = 1
					}
					if len(n.Outcomes[j]) != 1 || n.Rewards[j] != n.Outcomes[j][0].Team || n.Scored[j].Reward != n.Rewards[j] || !reflect.DeepEqual(n.Own[j], []float64{own, 0}) {
						t.Errorf("node %d, action %d of %q and %q: %v, own %v, outcomes %+v", i, j, a, b, n.Rewards[j], n.Own[j], n.Outcomes[j])
					}
					if n.Outcomes[j][0].Done != (n.Turn == 1) || n.Turn > 1 {
						t.Errorf("turn %d, done %v", n.Turn+1, n.Outcomes[j][0].Done)
					}
				}
			}
		}
	}
}

// TestWorldFails: an environment that breaks its rules, or dies, fails its episode, with the reason, the turn and who acted or whom it is about;
// a tree as a whole, and of several episodes of a problem that one. Nothing that was paid stays.
func TestWorldFails(t *testing.T) {
	one := rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3}
	tree := rollout.Settings{Group: 2, Joint: credit.Cross, MaxTokens: 3}
	several := rollout.Settings{Group: 1, Episodes: 3, Joint: credit.Aligned, MaxTokens: 3}
	const outside = ": change what it pays, or task.min_reward and task.max_reward"
	for lie, want := range map[string]string{
		"reward":         "environment, turn 2, after a, b: the team's reward is 7, expected 0 to 2" + outside,
		"nan":            "environment, turn 2, after a, b: the team's reward is NaN, expected 0 to 2" + outside,
		"own":            "environment, turn 2, after a, b: the reward of b is -0.1, expected 0 to 2" + outside,
		"infinite":       "environment, turn 1, after a, b: the reward of a is +Inf, expected 0 to 2" + outside,
		"state":          "environment, turn 1, after a, b: the state is no JSON",
		"grows":          "environment, turn 1, after a, b: the state has 1048578 bytes, more than 1048576",
		"talks":          "environment, turn 1, after a, b: the observation of b has 262145 bytes, more than 262144",
		"stranger":       `environment, turn 1, after a, b: there is an observation for "c", who is no agent`,
		"shows a alone":  "environment, turn 1: reset gives no observation for b",
		"does not begin": "environment, turn 1: no cards",
		"is over":        "the episode is over before any agent is asked",
		"gives":          "environment, turn 1: it pays a reward before any agent is asked",
	} {
		for _, s := range []rollout.Settings{one, tree, several} {
			for _, e := range play(t, racer(t, lie, s), 2) {
				if n := len(e.Failures()); e.Failed() != want || n != max(s.Episodes, 1) || n != e.Samples() {
					t.Errorf("%s, group %d: %d of %d failed, %q, want %q", lie, s.Group, n, e.Samples(), e.Failed(), want)
				}
				if data, err := json.Marshal(e); err != nil {
					t.Error(err)
				} else if again, err := rollout.ReadEpisode(data); err != nil || !maps.Equal(again.Failures(), e.Failures()) {
					t.Errorf("%s: read back, %v", lie, err)
				}
				for _, n := range e.Nodes {
					if n.Failed != "" && (n.Rewards != nil || n.Own != nil || n.Scored != nil) {
						t.Errorf("%s: a node that failed has rewards %v, own %v", lie, n.Rewards, n.Own)
					}
				}
			}
		}
	}
	several.Episodes = 6
	failed := 0
	for _, e := range play(t, racer(t, "dies", several), 4) {
		for sample := range 6 {
			if e.FailedSample(sample) {
				failed++
			}
		}
		if why := e.Failed(); why != "" && !strings.Contains(why, "it died") {
			t.Error(why)
		}
	}
	if failed == 0 || failed == 24 {
		t.Errorf("%d of 24 episodes failed", failed)
	}
}

// TestEpisodesBeginAsTrees: the k-th episode of a problem begins with what the k-th completion of a tree's root says.
func TestEpisodesBeginAsTrees(t *testing.T) {
	tree := play(t, runner(t, &dice{}, 2, 1, rollout.Settings{Group: 4, Joint: credit.Aligned, MaxTokens: 3}), 3)
	whole := play(t, runner(t, &dice{}, 2, 1, rollout.Settings{Group: 1, Episodes: 4, Joint: credit.Aligned, MaxTokens: 3}), 3)
	for i := range tree {
		for agent := range 2 {
			for k := range 4 {
				a, b := tree[i].Nodes[0].Agents[agent].Completions[k], whole[i].Nodes[k].Agents[agent].Completions[0]
				if !reflect.DeepEqual(a, b) {
					t.Errorf("problem %d, agent %d, sample %d: %+v and %+v", i, agent, k, a, b)
				}
			}
		}
	}
}

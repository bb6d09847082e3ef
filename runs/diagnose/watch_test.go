package diagnose_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
	"parley/runs/diagnose"
	"parley/runs/store"
	"parley/task"
)

// A scene describes the joint actions of every update of a training of two agents.
type scene struct {
	settings diagnose.Settings
	rewards  func(update, episode, turn, k int) float64
	score    func(update, k int) task.Score
	text     [2]string
	tokens   [2]int
	turns    int
}

// healthy is a training in which nothing is wrong: rewards differ inside groups, everyone contributes.
func healthy() scene {
	return scene{
		settings: diagnose.Settings{Groups: true, Raw: diagnose.Range{Most: 4}, Processed: diagnose.Range{Least: -4}},
		rewards:  func(update, _, turn, k int) float64 { return -3 + float64(k)/2 + 0.05*float64(update+turn) },
		score:    func(int, int) task.Score { return task.Score{} },
		text:     [2]string{"short", "a long answer"}, tokens: [2]int{4, 12}, turns: 1,
	}
}

// episodes are four of an update, with groups of four: 16 joint actions a turn.
func (s scene) episodes(update int) []*rollout.Episode {
	var out []*rollout.Episode
	for i := range 4 {
		e := &rollout.Episode{Update: update, Index: i, Problem: task.Problem{ID: "p"}}
		for t := range s.turns {
			n := &rollout.Node{Turn: t, Parent: t - 1}
			for k := range 4 {
				n.Joint = append(n.Joint, []int{k, k})
				n.Rewards = append(n.Rewards, s.rewards(update, i, t, k))
				n.Scored = append(n.Scored, s.score(update, k))
			}
			for a := range 2 {
				agentTurn := rollout.AgentTurn{Agent: a, Policy: engine.Policy("policy")}
				for k := range 4 {
					agentTurn.Completions = append(agentTurn.Completions, rollout.Completion{Tokens: make([]int, s.tokens[a]), Text: s.text[a], Reward: n.Rewards[k]})
				}
				n.Agents = append(n.Agents, agentTurn)
			}
			e.Nodes = append(e.Nodes, n)
		}
		out = append(out, e)
	}
	return out
}

// train shows a watch some updates and returns the rules that fired, as they were said.
func (s scene) train(w *diagnose.Watch, from, to int) []string {
	w.Settings = s.settings
	var fired []string
	for u := from; u <= to; u++ {
		for _, d := range w.See(u, s.episodes(u)) {
			fired = append(fired, d.Kind+" "+d.Rule)
		}
	}
	return fired
}

func fact(f task.Signals) func(update, k int) task.Score {
	return func(int, int) task.Score { return task.Score{Signals: &f} }
}

func TestEachKindFiresOnItsOwn(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		want   string
		change func(*scene)
	}{
		{"", func(*scene) {}},
		{"", func(s *scene) {
			s.score = fact(task.Signals{Influence: &yes, Cascade: &no, Gamed: &no, Usable: []bool{true, true}})
		}},
		{"dead_groups dead_groups", func(s *scene) {
			s.rewards = func(_, _, _, _ int) float64 { return -2 }
		}},
		{"whitening_noise tiny_spread_whitened", func(s *scene) {
			s.settings.Normalise = true
			s.rewards = func(_, _, _, k int) float64 { return -2 + 0.001*float64(k) }
		}},
		{"trivial_cooperation unusable", func(s *scene) { s.text[0] = "" }},
		{"trivial_cooperation unusable", func(s *scene) { s.score = fact(task.Signals{Usable: []bool{true, false}}) }},
		{"trivial_cooperation token_share", func(s *scene) { s.tokens = [2]int{1, 40} }},
		{"trivial_cooperation aux_without_influence", func(s *scene) {
			s.score = fact(task.Signals{Influence: &no})
			s.rewards = func(_, _, _, k int) float64 { return -1 - 0.1*float64(k) }
		}},
		{"cascading_errors cascade_share", func(s *scene) { s.score = fact(task.Signals{Cascade: &yes}) }},
		{"cascading_errors cascade_share:run_time", func(s *scene) { s.score = fact(task.Signals{Raised: &yes}) }},
		{"feedback_instability switch:drop", func(s *scene) {
			s.settings.Switch = 6
			s.rewards = func(update, _, _, k int) float64 { return -2 + float64(k)/4 - 0.6*float64(min(max(update-6, 0), 1)) }
		}},
		{"feedback_instability switch:variance", func(s *scene) {
			s.settings.Switch = 6
			s.rewards = func(update, _, _, k int) float64 {
				return -2 + (float64(k)-1.5)/4*float64(1+2*min(max(update-6, 0), 1))
			}
		}},
		{"feedback_instability turn2:drop", func(s *scene) {
			s.turns = 2
			s.rewards = func(_, _, turn, k int) float64 { return -2 + float64(k)/4 - 0.3*float64(turn) }
		}},
		{"reward_hacking flag_share", func(s *scene) { s.score = fact(task.Signals{Gamed: &yes}) }},
		{"reward_hacking audit_gap", func(s *scene) { one := 1.0; s.score = fact(task.Signals{Audit: &one}) }},
	} {
		s := healthy()
		c.change(&s)
		got := s.train(&diagnose.Watch{}, 1, 20)
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
			t.Errorf("said %q, want %q", got, want)
		}
	}
}

// TestGoodTeam: groups that are equal because nearly every answer is right want no filter. What agents say before the team is paid does not count.
func TestGoodTeam(t *testing.T) {
	for reward, good := range map[float64]bool{-0.1: true, -2: false} {
		s, w := healthy(), &diagnose.Watch{}
		s.settings.Steps, s.turns = true, 2
		s.rewards = func(_, _, turn, _ int) float64 { return []float64{-4, reward}[turn] }
		if fired := s.train(w, 1, 4); len(fired) == 0 || strings.Contains(w.Fired[0].Remedy, "has become good") != good || strings.Contains(w.Fired[0].Remedy, "filter") == good {
			t.Errorf("%v at %v: %+v", fired, reward, w.Fired)
		}
	}
}

// The window begins when it holds 50 joint actions, and what was said is not said again.
func TestSaidOnceAFullWindow(t *testing.T) {
	s := healthy()
	s.text[1] = ""
	w := &diagnose.Watch{}
	if fired := s.train(w, 1, 3); fired != nil {
		t.Errorf("48 joint actions said %q", fired)
	}
	if d := w.Result(3); len(d.Diagnostics) != 1 || d.JointActions != 48 {
		t.Errorf("result over 48 joint actions: %+v", d)
	}
	if agentTurn := s.train(w, 4, 9); len(agentTurn) != 1 {
		t.Errorf("later updates said %q", agentTurn)
	}
	d := w.Result(9).Diagnostics[0]
	if d.First != 4 || d.Last != 9 || d.Agent != 2 || d.Value != 0 || len(d.Evidence) != 5 || d.Remedy == "" {
		t.Errorf("diagnostic %+v", d)
	}
	k := 0
	if want := (store.Place{Update: 6, Problem: "p", Action: &k, Agent: 2}); !reflect.DeepEqual(d.Evidence[0], want) {
		t.Errorf("evidence %+v, want %+v", d.Evidence[0], want)
	}
}

// A watch that went through JSON finds what one finds that never stopped.
func TestStateSurvivesJSON(t *testing.T) {
	s := healthy()
	one := 1.0
	s.score = fact(task.Signals{Audit: &one})
	whole, first, second := &diagnose.Watch{}, &diagnose.Watch{}, &diagnose.Watch{}
	s.train(whole, 1, 20)
	s.train(first, 1, 11)
	data, err := json.Marshal(first.State)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &second.State); err != nil {
		t.Fatal(err)
	}
	s.train(second, 12, 20)
	if a, b := whole.Result(20), second.Result(20); !reflect.DeepEqual(a, b) {
		t.Errorf("unbroken: %+v\nresumed: %+v", a, b)
	}
}

// Frozen agents have groups from which nothing is learned anyway.
func TestFrozenAgentsHaveNoGroups(t *testing.T) {
	s := healthy()
	w := &diagnose.Watch{Settings: s.settings}
	episodes := s.episodes(1)
	for _, e := range episodes {
		e.Nodes[0].Agents[0].Policy = engine.Base
	}
	w.See(1, episodes)
	for _, g := range w.Records[0].Groups {
		if g.Place.Agent != 2 {
			t.Errorf("group of agent %d", g.Place.Agent)
		}
	}
}

// TestEpisodesAreOneGroup: of a problem with several episodes everything that was said in those that were scored is compared, so that it is
// dead where all of it earned the same; nodes by themselves have one completion each.
func TestEpisodesAreOneGroup(t *testing.T) {
	problem := func(second float64, failed string) *rollout.Episode {
		e := &rollout.Episode{}
		for sample, earned := range []float64{0.5, second} {
			n := &rollout.Node{Parent: -1, Sample: sample, Joint: [][]int{{0}}, Rewards: []float64{earned}}
			n.Agents = []rollout.AgentTurn{{Policy: "policy", Completions: []rollout.Completion{{Reward: earned}}}}
			if sample == 1 && failed != "" {
				n.Failed, n.Rewards = failed, nil
			}
			e.Nodes = append(e.Nodes, n)
		}
		return e
	}
	w := diagnose.Watch{Settings: diagnose.Settings{Groups: true}}
	w.See(1, []*rollout.Episode{problem(1, ""), problem(0.5, ""), problem(9, "no reward")})
	var got [][]float64
	for _, g := range w.Records[0].Groups {
		got = append(got, g.Credits)
	}
	if want := [][]float64{{0.5, 1}, {0.5, 0.5}, {0.5}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

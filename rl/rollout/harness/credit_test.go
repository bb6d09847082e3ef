package harness_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley/rl/credit/workflow"
	"parley/rl/rollout"
	"parley/rl/rollout/harness"
)

// returns are those of the messages of an episode of a problem, of two agents who are paid as the team and by themselves.
func returns(t *testing.T, e *rollout.Episode, sample int, kind string) (out []float64) {
	t.Helper()
	o := workflow.Options{Gamma: 1, Clock: workflow.ClockAsk, Returns: kind, Weights: []workflow.Weights{{Team: 1, Own: 1}, {Team: 1, Own: 1}}}
	var w workflow.Episode
	for _, n := range e.Nodes {
		if n.Sample == sample {
			s := workflow.Step{Says: []int{n.Agents[0].Agent}, Team: n.Rewards[0]}
			if n.Own != nil {
				s.Own = n.Own[0]
			}
			w.Steps = append(w.Steps, s)
		}
	}
	for _, m := range o.Credit(w).Messages {
		out = append(out, m.Return)
	}
	return out
}

// TestCredit: what a program pays at the second of four calls and at the end returns as the specification says, in its fixture and here.
func TestCredit(t *testing.T) {
	data, err := os.ReadFile("testdata/episode.json")
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := rollout.ReadEpisode(data)
	if err != nil {
		t.Fatal(err)
	}
	_, r := setting(t, harness.Settings{Command: self(t, "credit"), Pays: true})
	played := run(t, r, 1)[0]
	if played.Failed() != "" {
		t.Fatal(played.Failed())
	}
	for name, e := range map[string]*rollout.Episode{"fixture": fixture, "played": played} {
		for kind, want := range map[string][]float64{workflow.Total: {1, 1.5, 1, 1.5}, workflow.ToGo: {1, 1.5, 1, 1}} {
			if got := returns(t, e, 0, kind); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", name, kind, got, want)
			}
		}
	}
	stored(t, []*rollout.Episode{played})
	for i, n := range played.Nodes[:4] {
		f := fixture.Nodes[i]
		if n.Turn != f.Turn || n.Parent != f.Parent || n.ParentAction != f.ParentAction || n.Sample != f.Sample || n.Agents[0].Agent != f.Agents[0].Agent ||
			!slices.Equal(n.Rewards, f.Rewards) || !slices.Equal(n.Own[0], f.Own[0]) || len(n.Joint) != 1 || !slices.Equal(n.Joint[0], f.Joint[0]) {
			t.Errorf("node %d: %+v, want %+v", i, n, f)
		}
	}
}

// TestPays: what a result says reaches the nodes, or fails the episode with the field.
func TestPays(t *testing.T) {
	for _, c := range []struct {
		result string
		own    []float64 // of writer and editor, of both nodes
		why    string
	}{
		{`{"reward":0.5}`, nil, ""},
		{`{"reward":0.5,"agents":{"editor":1}}`, []float64{0, 0, 0, 1}, ""},
		{`{"reward":0.5,"agents":[0.5,1],"calls":{"r-writer-one":0.25,"r-editor-two":1},"parts":{"a":1},"flags":["b"]}`, []float64{.25, 0, .5, 2}, ""},
		{`{"reward":0.5,"calls":{"r-writer-two":1}}`, nil, `the result: "calls" pays "r-writer-two", which is the id of no response in the episode`},
		{`{"reward":0.5,"agents":{"judge":1}}`, nil, `the result: "agents" pays "judge", who is not in the team`},
		{`{"reward":2}`, nil, "the result: the reward is 2, outside of the declared range [0, 1]"},
		{`{"reward":NaN}`, nil, `the result: it has no "reward", which reward.source: harness needs`},
	} {
		_, r := setting(t, harness.Settings{Command: self(t, "results", c.result), Pays: true})
		r.Settings.Episodes = 1
		e := run(t, r, 1)[0]
		stored(t, []*rollout.Episode{e})
		if why := e.Failed(); (why == "") != (c.why == "") || !strings.HasPrefix(why, c.why) {
			t.Errorf("%s: failed because %q, want %q", c.result, why, c.why)
		}
		if c.why != "" {
			continue
		}
		var own []float64
		for _, n := range e.Nodes {
			if n.Own != nil {
				own = append(own, n.Own[0]...)
			}
		}
		if !slices.Equal(own, c.own) || e.Nodes[0].Rewards[0] != 0 || e.Nodes[1].Rewards[0] != .5 || e.Nodes[0].Scored != nil || e.Nodes[1].Scored[0].Reward != .5 {
			t.Errorf("%s: own %v, want %v; %+v", c.result, own, c.own, e.Nodes[1])
		}
	}
}

// TestIgnoredPay: to pay an agent who does not learn from it fails the episode, and names the key. What is 0 pays nobody.
func TestIgnoredPay(t *testing.T) {
	for result, want := range map[string]string{
		`{"reward":0.5,"agents":[0,1],"calls":{"r-editor-two":1}}`: "",
		`{"reward":0.5,"agents":{"writer":0.5}}`:                   `the result: "agents" pays writer, but team.agents.writer.reward.own is 0: write reward: {team: 1, own: 1} there`,
		`{"reward":0.5,"calls":{"r-writer-one":1}}`:                `the result: "calls" pays writer, but team.agents.writer.reward.own is 0`,
	} {
		_, r := setting(t, harness.Settings{Command: self(t, "results", result), Pays: true, TeamAlone: []bool{true}})
		r.Settings.Episodes = 1
		if why := run(t, r, 1)[0].Failed(); (why == "") != (want == "") || !strings.HasPrefix(why, want) {
			t.Errorf("%s: failed because %q, want %q", result, why, want)
		}
	}
}

package malt

import (
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
)

// settings are those of a recipe, made small.
func settings() Settings {
	return Settings{Pool: "update", Right: 1, Epochs: 1, Batch: 4, Preferences: "later", PairEpochs: 1, Beta: 0.2, PairRate: 1}
}

// chain is an untrained team of three, and what it says to some problems.
func chain(t *testing.T) *learntest.Team {
	m := learntest.NewTeam(t, learntest.Pipeline(t, 3), learn.Policies{Sharing: "per-agent", FirstTrainedTurn: 1}, learn.CriticsNone)
	m.Untrained, m.Group = true, 3
	return m
}

func open(t *testing.T, c learn.Config) *learner {
	t.Helper()
	l, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return l.(*learner)
}

// TestPhasesLeaveOthersAlone: neither phase of one role changes a number of another role's policy or of the base.
func TestPhasesLeaveOthersAlone(t *testing.T) {
	m := chain(t)
	l := open(t, m.Config([]any{settings()}, 1, 6))
	trees, err := l.trees(0, m.Play(t, 0, 6))
	if err != nil {
		t.Fatal(err)
	}
	rows, pairs := l.examples(trees)
	for _, x := range l.Sharing.Trained(l.Turns, false) {
		to := learn.PolicyRef{Engine: l.EngineOf(x.Agent), Policy: x.Policy}
		for phase, do := range map[string]func(*learn.Stats) error{
			"supervised learning": func(s *learn.Stats) error { return l.fit(t.Context(), to, rows[x.Policy], 0, s) },
			"preferences":         func(s *learn.Stats) error { return l.prefer(t.Context(), to, pairs[x.Policy], 0, s) },
		} {
			before := m.Engine.Policies()
			if err := do(new(learn.Stats)); err != nil {
				t.Fatal(err)
			}
			want := []string{string(x.Policy)}
			if phase == "preferences" && x.Agent == 0 {
				want = nil // the first agent has none
			}
			if got := learntest.Changed(before, m.Engine.Policies()); !slices.Equal(got, want) {
				t.Errorf("%s of %s changes %v", phase, x.Policy, got)
			}
		}
	}
}

// TestReferenceIsTheFittedPolicy: the first batch of pairs has the loss ln 2, for what is compared with is the policy after supervised learning,
// and pairs make the chosen text more probable against the rejected one.
func TestReferenceIsTheFittedPolicy(t *testing.T) {
	m := chain(t)
	s := settings()
	s.Batch = 1000 // one step each
	l := open(t, m.Config([]any{s}, 1, 6))
	trees, err := l.trees(0, m.Play(t, 0, 6))
	if err != nil {
		t.Fatal(err)
	}
	rows, pairs := l.examples(trees)
	const last engine.Policy = "policy-agent3"
	to := learn.PolicyRef{Engine: l.EngineOf(2), Policy: last}
	if err := l.fit(t.Context(), to, rows[last], 0, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	margin := func() (sum float64) {
		for _, p := range pairs[last] {
			for i, a := range []*learn.Answer{p.chosen, p.rejected} {
				if err := score(t.Context(), to, []*text{{Answer: a}}, func(_ *text, x float64) { sum += x * float64(1-2*i) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		return sum
	}
	before, stats := margin(), new(learn.Stats)
	if err := l.prefer(t.Context(), to, pairs[last], 0, stats); err != nil {
		t.Fatal(err)
	}
	if math.Abs(stats.PolicyLoss-math.Ln2) > 1e-9 {
		t.Errorf("the first loss is %v, want ln 2", stats.PolicyLoss)
	}
	if after := margin(); after <= before {
		t.Errorf("the chosen texts were ahead by %v, and are by %v", before, after)
	}
}

// TestRunPool: with a pool of the run nothing is learned before the last update, and then from all trees as from those of one large update. Trees
// of earlier updates are read back from the run, by a fresh learner, as after an interruption.
func TestRunPool(t *testing.T) {
	const updates, problems = 3, 4
	m := chain(t)
	at := *m
	at.Engine = m.Engine.Copy()
	s := settings()
	s.Pool = "run"
	config := m.Config([]any{s}, updates, problems)
	recorded := map[int][]*rollout.Episode{}
	config.Recall = func(update int) ([]*rollout.Episode, error) { return recorded[update], nil }
	var all []*rollout.Episode
	for update := range updates {
		episodes := m.Play(t, update, problems)
		stats := learntest.Update(t, open(t, config), update, episodes)
		if learned := stats.OptimizerSteps > 0; learned != (update+1 == updates) {
			t.Errorf("update %d takes %d steps", update+1, stats.OptimizerSteps)
		}
		recorded[update+1] = learntest.Reread(t, episodes)
		all = append(all, recorded[update+1]...)
	}
	s.Pool = "update"
	if err := open(t, at.Config([]any{s}, 1, updates*problems)).Update(t.Context(), learn.Recorded(0, all)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(at.Engine.Calls, m.Engine.Calls) {
		t.Error("learned from all at once, the engine is asked for something else than by the run")
	}
}

// TestCredit: messages tell the share of right leaves below them, and what this is above one half.
func TestCredit(t *testing.T) {
	e := episodeOf(specified)
	l := &learner{settings: settings()}
	if err := l.assign(t.Context(), []*rollout.Episode{e}, new(learn.Stats)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2. / 3, 1. / 3, 5. / 9} {
		if c := e.Nodes[0].Agents[0].Completions[i]; math.Abs(c.Reward-want) > 1e-12 || math.Abs(c.Advantage-want+0.5) > 1e-12 {
			t.Errorf("draft %d has reward %v and advantage %v, want %v", i, c.Reward, c.Advantage, want)
		}
	}
}

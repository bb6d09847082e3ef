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

// A patient is a training of which every update has the same answers.
type patient struct {
	settings diagnose.Settings
	answer   func(update, i int) rollout.Completion // of 8 an update
	dropped  int
	failed   int // of 8 problems
	numbers  func(update int) diagnose.Numbers
}

// sound is one in which nothing is wrong.
func sound() patient {
	explained, drift := 0.5, 0.1
	return patient{
		settings: diagnose.Settings{Debate: true, Penalised: true, Raw: diagnose.Range{Most: 1}, Processed: diagnose.Range{Most: 1}},
		answer: func(update, i int) rollout.Completion {
			return rollout.Completion{Stop: "eos", Reward: float64((update+i)%3) / 2}
		},
		numbers: func(update int) diagnose.Numbers {
			return diagnose.Numbers{Steps: 4, Reward: 0.1 * float64(update), Explained: &explained, Drift: &drift}
		},
	}
}

// TestUnheardPay: what agents are paid alone to no effect is called so at once, with the key that is missing, and not a constant reward.
func TestUnheardPay(t *testing.T) {
	for name, c := range map[string]struct {
		alone []bool
		paid  []float64
		want  []string
	}{
		"heard":    {[]bool{false, false}, []float64{1, -1}, []string{"constant_reward"}},
		"unheard":  {[]bool{true, true}, []float64{1, -1}, []string{"unheard_pay", "unheard_pay"}},
		"one":      {[]bool{true, false}, []float64{-0.5, 1}, []string{"unheard_pay"}},
		"not paid": {[]bool{true, true}, []float64{0, 0}, []string{"constant_reward"}},
	} {
		p := sound()
		p.settings.TeamAlone, p.settings.Names = c.alone, []string{"ann", "bob"}
		p.answer = func(int, int) rollout.Completion { return rollout.Completion{Stop: "eos"} }
		w, got := &diagnose.Watch{Settings: p.settings}, []string(nil)
		for update := 1; update < 9; update++ {
			episodes := p.episodes(update)
			for _, e := range episodes {
				e.Nodes[0].Rewards, e.Nodes[0].Own = []float64{0}, [][]float64{c.paid}
			}
			for _, d := range w.Observe(diagnose.HealthOf(update, episodes, p.numbers(update))) {
				got = append(got, d.Kind)
				if d.Kind == "unheard_pay" && (update > 1 || !strings.Contains(d.Remedy, "team.agents."+d.Name+".reward.own")) {
					t.Errorf("%s: update %d: %s", name, update, d)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q fired, want %q", name, got, c.want)
		}
	}
}

// episodes are those of an update.
func (p patient) episodes(update int) []*rollout.Episode {
	var out []*rollout.Episode
	for i := range 8 {
		n := &rollout.Node{Joint: [][]int{{0}}}
		n.Agents = []rollout.AgentTurn{{Policy: engine.Policy("policy"), Dropped: p.dropped, Completions: []rollout.Completion{p.answer(update, i)}}}
		if i < p.failed {
			n.Failed = "no reward"
		}
		out = append(out, &rollout.Episode{Update: update, Index: i, Problem: task.Problem{ID: "p"}, Nodes: []*rollout.Node{n}})
	}
	return out
}

// train returns what fires in so many updates, by rule, with the update in which it fires first.
func (p patient) train(t *testing.T, updates int) (fired []string, w *diagnose.Watch) {
	t.Helper()
	w = &diagnose.Watch{Settings: p.settings}
	for u := range updates {
		update := u + 1
		for _, d := range w.Observe(diagnose.HealthOf(update, p.episodes(update), p.numbers(update))) {
			fired = append(fired, d.Kind+" "+d.Rule)
			if d.Remedy == "" || d.First != update || !strings.Contains(d.String(), "try: ") {
				t.Errorf("%+v", d)
			}
		}
	}
	return fired, w
}

// unsettled are the numbers of a sound training in whose second update so many games were not zero-sum.
func unsettled(games int) func(update int) diagnose.Numbers {
	return func(update int) diagnose.Numbers {
		n, count := sound().numbers(update), 0
		if update == 2 {
			count = games
		}
		n.Unsettled = &count
		return n
	}
}

// overpaid are the numbers of a sound training whose verifier pays more than answers are worth, by turn.
func overpaid(by ...float64) func(update int) diagnose.Numbers {
	return func(update int) diagnose.Numbers {
		n := sound().numbers(update)
		n.Overpaid = by
		return n
	}
}

// TestHealth: every rule about the health of a training fires for what it is about, and for nothing else.
func TestHealth(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(p *patient)
		updates int
		want    []string
	}{
		"nothing":        {func(*patient) {}, 20, nil},
		"no zero sum":    {func(p *patient) { p.numbers = unsettled(1) }, 2, []string{"not_zero_sum not_zero_sum"}},
		"zero sum":       {func(p *patient) { p.numbers = unsettled(0) }, 20, nil},
		"overpaid":       {func(p *patient) { p.numbers = overpaid(0.2, 0.3) }, 10, []string{"overpaid_answers overpaid"}},
		"overpaid soon":  {func(p *patient) { p.numbers = overpaid(0.2, 0.3) }, 9, nil},
		"overpaid less":  {func(p *patient) { p.numbers = overpaid(0.2, -0.9) }, 20, nil},
		"failed":         {func(p *patient) { p.failed = 1 }, 1, []string{"failed_problems failed"}},
		"half flagged":   {func(p *patient) { p.answer = flaggedEvery(2) }, 1, []string{"flagged_answers flagged:no_box"}},
		"fewer flagged":  {func(p *patient) { p.answer = flaggedEvery(3) }, 20, nil},
		"harmless flags": {func(p *patient) { p.answer, p.settings.Penalised = flaggedEvery(1), false }, 20, nil},
		"constant": {func(p *patient) {
			p.answer = func(_, i int) rollout.Completion {
				return rollout.Completion{Stop: "eos", Reward: 0.3 + 1e-16*float64(i)}
			}
		}, 9, []string{"constant_reward return_spread"}},
		"constant as given texts are": {func(p *patient) {
			p.settings.Given = true
			p.answer = func(int, int) rollout.Completion { return rollout.Completion{Stop: "eos", Reward: 1} }
		}, 20, nil},
		"endless": {func(p *patient) {
			p.answer = func(u, i int) rollout.Completion {
				return rollout.Completion{Stop: "length", Reward: float64((u + i) % 2)}
			}
		}, 1, []string{"endless_answers endless"}},
		"truncated": {func(p *patient) { p.dropped = 7 }, 1, []string{"truncated_prompt truncated_prompts"}},
		"still":     {func(p *patient) { p.numbers = numbers(4, 0.0004, 0.5) }, 6, []string{"still_policy drift"}},
		"unmoved": {func(p *patient) {
			p.numbers = func(int) diagnose.Numbers { return diagnose.Numbers{Steps: 4, Reward: 0.5, Moved: share(9e-6)} }
		}, 5, []string{"still_policy update_norm"}},
		"moves little": {func(p *patient) {
			p.numbers = func(int) diagnose.Numbers { return diagnose.Numbers{Steps: 4, Reward: 0.5, Moved: share(3e-5)} }
		}, 20, nil},
		"unmoved while it gathers": {func(p *patient) {
			p.settings.Gathers = true
			p.numbers = func(int) diagnose.Numbers { return diagnose.Numbers{Steps: 4, Reward: 0.5, Moved: share(0)} }
		}, 20, nil},
		"warm": {func(p *patient) { p.numbers, p.settings.Warming = numbers(4, 0.0004, 0.5), 12 }, 13, []string{"still_policy drift"}},
		"unmoved and warm": {func(p *patient) {
			p.settings.Warming = 12
			p.numbers = func(int) diagnose.Numbers { return diagnose.Numbers{Steps: 4, Reward: 0.5, Moved: share(9e-6)} }
		}, 13, []string{"still_policy update_norm"}},
		"no steps": {func(p *patient) { p.numbers = numbers(0, 0.1, 0.5) }, 5, []string{"still_policy optimizer_steps"}},
		"gathers":  {func(p *patient) { p.numbers, p.settings.Gathers = numbers(0, 0, 0.5), true }, 20, nil},
		"blind":    {func(p *patient) { p.numbers = numbers(4, 0.1, -0.2) }, 8, []string{"blind_critic value_explained"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := sound()
			c.change(&p)
			if c.want != nil && c.updates > 1 {
				if early, _ := p.train(t, c.updates-1); len(early) > 0 && name != "constant" {
					t.Errorf("fired %q before update %d", early, c.updates)
				}
			}
			fired, w := p.train(t, c.updates)
			if !slices.Equal(fired, c.want) {
				t.Errorf("fired %q, want %q", fired, c.want)
			}
			if d := w.Result(c.updates); len(d.Diagnostics) != len(c.want) || len(d.Checked) < 5 {
				t.Errorf("result %+v", d)
			}
		})
	}
}

func share(x float64) *float64 { return &x }

func flaggedEvery(n int) func(update, i int) rollout.Completion {
	return func(update, i int) rollout.Completion {
		c := rollout.Completion{Stop: "eos", Reward: float64((update+i)%3) / 2}
		if i%n == 0 {
			c.Flags = []string{"no_box"}
		}
		return c
	}
}

// numbers are those of a training whose reward stays as it is.
func numbers(steps int, drift, explained float64) func(int) diagnose.Numbers {
	return func(int) diagnose.Numbers {
		return diagnose.Numbers{Steps: steps, Reward: 0.5, Explained: &explained, Drift: &drift}
	}
}

// TestStillRemedy: who has left the learning rate out is not told to leave it out.
func TestStillRemedy(t *testing.T) {
	for automatic, want := range map[bool]bool{false: true, true: false} {
		p := sound()
		p.numbers, p.settings.Automatic = numbers(4, 0.0004, 0.5), automatic
		_, w := p.train(t, 6)
		if remedy := w.Fired[0].Remedy; strings.Contains(remedy, "leave it out") != want || !strings.HasPrefix(remedy, "raise optimizer.lr") {
			t.Errorf("automatic %v: %s", automatic, remedy)
		}
	}
}

// TestHealthIsState: a watch that was saved and read again finds what an unbroken one does.
func TestHealthIsState(t *testing.T) {
	p := sound()
	p.failed, p.numbers = 1, numbers(4, 0.0004, -1)
	_, whole := p.train(t, 12)
	_, half := p.train(t, 5)
	data, err := json.Marshal(half.State)
	if err != nil {
		t.Fatal(err)
	}
	again := &diagnose.Watch{Settings: p.settings}
	if err := json.Unmarshal(data, &again.State); err != nil {
		t.Fatal(err)
	}
	for update := 6; update <= 12; update++ {
		again.Observe(diagnose.HealthOf(update, p.episodes(update), p.numbers(update)))
	}
	if a, b := again.Result(12), whole.Result(12); !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, want %+v", a, b)
	}
	if places := whole.Result(12).Diagnostics[0].Evidence; len(places) == 0 || places[0] == (store.Place{}) {
		t.Errorf("evidence %+v", places)
	}
}

// TestFailedShares: a problem of which some episodes failed counts by their share, and nothing of them is looked at.
func TestFailedShares(t *testing.T) {
	e := &rollout.Episode{Problem: task.Problem{ID: "p"}, Refused: map[int]string{3: "no cards"}}
	for sample := range 3 {
		n := &rollout.Node{Parent: -1, Sample: sample, Joint: [][]int{{0}}, Agents: []rollout.AgentTurn{{Policy: "policy", Completions: make([]rollout.Completion, 1)}}}
		e.Nodes = append(e.Nodes, n)
	}
	e.Nodes[1].Fail("no reward")
	h := diagnose.HealthOf(1, []*rollout.Episode{e, {Refused: map[int]string{0: "no cards"}}}, diagnose.Numbers{})
	if h.Failed != 1.5 || h.Problems != 2 || h.Answers != 2 || len(h.Places[diagnose.FailedProblems]) != 2 {
		t.Errorf("%+v", h)
	}
}

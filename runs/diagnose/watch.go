package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"parley/rl/rollout"
	"parley/runs/store"
	"parley/task"
)

// Bounds of what is looked at.
const (
	window      = 50 // joint actions: whole updates are kept until the newest hold so many
	auditWindow = 20 // updates over which training reward and audit are compared
	auditLeast  = 8  // updates before they are, so that a quarter is never a single one
	mostAgents  = 1 << 16
)

// A Range is that of a reward.
type Range struct{ Least, Most float64 }

func (r Range) share(x float64) float64 { return (x - r.Least) / r.width() }

// shares are differences in units of the range.
func (r Range) shares(differences []float64) []float64 {
	out := make([]float64, len(differences))
	for i, x := range differences {
		out[i] = x / r.width()
	}
	return out
}

// width is positive: a reward that cannot vary has width 1.
func (r Range) width() float64 {
	if r.Most > r.Least {
		return r.Most - r.Least
	}
	return 1
}

// Settings say what a training is.
type Settings struct {
	Raw       Range  // of the task's reward, as audits are measured
	Processed Range  // of the reward that is trained on
	Groups    bool   // advantages compare the completions of a group
	Normalise bool   // they are divided by the spread of their group
	Learned   bool   // rewards come from a model, whose scores have no range: the task's are looked at
	Answers   bool   // every response needs a readable final answer
	Debate    bool   // the algorithm learns from debates, to which only the rules about health apply
	Penalised bool   // the penalty of a flagged answer takes the place of its reward
	Given     bool   // answers are texts that are given: that they earn the same says nothing
	Gathers   bool   // only the last update learns
	Warming   int    // the last update in which policies may still be where their bases are, because learning rates rise
	Automatic bool   // learning rates are those that go with the base
	Steps     bool   // turns are steps of one piece of work, such as a workflow's or moves in a world: a later one is no second answer
	Unequal   bool   // some agents are no models: shares of tokens say nothing
	TeamAlone []bool // by agent: it learns nothing from what itself is paid; shorter: others do
	Ordered   bool   // returns depend on the order of an episode's messages
	Switch    int    // the last update before feedback and later turns are switched on; 0: they always were

	Names []string // of the agents; nil: they have none
	// Reads says whether the final answer of a text can be read, where a program answers and its reward is about that; nil: it is not.
	Reads func(p task.Problem, text string) bool
}

// A Watch finds out what is wrong with a training.
type Watch struct {
	Settings
	State
}

// State is all that a watch remembers.
type State struct {
	Records []Record           `json:"records"` // the window, oldest first
	Means   []Mean             `json:"means"`   // of the latest updates, where an audit is known
	Fired   []store.Diagnostic `json:"fired"`
	Health  []Health           `json:"health,omitempty"` // of the latest updates
	Roles   Roles              `json:"roles,omitzero"`
	Played  []Played           `json:"played,omitempty"` // by a program, in the latest updates
	Before  []float64          `json:"before,omitempty"` // rewards of the window that ended at the switch
}

// Check says what is wrong with a state that was read from a file: something is known of every agent of every joint action.
func (s *State) Check() error {
	for _, r := range s.Records {
		for i, a := range r.Actions {
			wrong := func(agent int) bool { return agent < 0 || agent >= mostAgents }
			if len(a.Agents) > 0 && (len(a.Agents) != len(a.Usable) || slices.ContainsFunc(a.Agents, wrong)) {
				return fmt.Errorf("joint action %d of update %d has %d usable responses of agents %v", i, r.Update, len(a.Usable), a.Agents)
			}
			if len(a.Usable) != len(a.Tokens) {
				return fmt.Errorf("joint action %d of update %d has %d usable responses and %d lengths", i, r.Update, len(a.Usable), len(a.Tokens))
			}
		}
	}
	return nil
}

// A Mean compares the rewards of an update with what the robust reward pays, both as shares of the range.
type Mean struct {
	Reward float64 `json:"reward"`
	Audit  float64 `json:"audit"`
}

// See takes in the credited episodes of an update and returns what fires for the first time. Nothing fires before the window is
// full.
func (w *Watch) See(update int, episodes []*rollout.Episode) []store.Diagnostic {
	if w.Debate {
		return nil
	}
	r := w.record(update, episodes)
	w.Records = append(w.Records, r)
	for w.size()-len(w.Records[0].Actions) >= window {
		w.Records = w.Records[1:]
	}
	if update == w.Switch {
		w.Before = w.rewards()
	}
	if m, ok := w.mean(r); ok {
		w.Means = append(w.Means, m)
		w.Means = w.Means[max(0, len(w.Means)-auditWindow):]
	}
	if w.size() < window {
		return nil
	}
	return w.note(update, w.look())
}

// size is how many joint actions the window holds.
func (w *Watch) size() int {
	n := 0
	for _, r := range w.Records {
		n += len(r.Actions)
	}
	return n
}

// mean is that of the joint actions with an audit.
func (w *Watch) mean(r Record) (Mean, bool) {
	var m Mean
	n := 0.0
	for _, a := range r.Actions {
		if a.Facts != nil && a.Facts.Audit != nil {
			m.Reward += a.Reward
			m.Audit += w.Raw.share(*a.Facts.Audit)
			n++
		}
	}
	if n == 0 {
		return m, false
	}
	return Mean{m.Reward / n, m.Audit / n}, true
}

// note files what fires now and returns what never did before.
func (w *Watch) note(update int, looks []look) []store.Diagnostic {
	var first []store.Diagnostic
	for _, l := range looks {
		for _, d := range fired(l, update) {
			w.call(&d)
			at := slices.IndexFunc(w.Fired, func(x store.Diagnostic) bool { return x.Kind == d.Kind && x.Rule == d.Rule && x.Agent == d.Agent })
			if at >= 0 {
				d.First = w.Fired[at].First
				w.Fired[at] = d
				continue
			}
			w.Fired = append(w.Fired, d)
			first = append(first, d)
		}
	}
	return first
}

// mostEvidence is how many places a diagnostic shows.
const mostEvidence = 5

func diagnostic(l look, c Check, update int) store.Diagnostic {
	d := store.Diagnostic{
		Kind: string(l.finding.Kind), Rule: ruleName(c), Agent: c.Agent, Value: c.Value, Sense: string(c.Sense),
		Threshold: c.Threshold, First: update, Last: update, Remedy: cmp.Or(l.finding.Remedy, l.finding.Kind.Remedy()), Evidence: []store.Place{},
	}
	for _, i := range c.Evidence[:min(len(c.Evidence), mostEvidence)] {
		d.Evidence = append(d.Evidence, l.place(i, c.Agent))
	}
	return d
}

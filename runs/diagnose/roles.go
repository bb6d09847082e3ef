package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/rl/loss"
	"parley/rl/rollout"
	"parley/runs/store"
)

// The kinds of findings about what agents give to the gradient (loss.Mass; arXiv 2605.24202), and what each is about.
const (
	Capture   Kind = "capture"   // an agent has most of a shared policy's gradient, and another is pulled against its own
	Dominance Kind = "dominance" // an agent has most of a shared policy's gradient
	Starved   Kind = "starved"   // an agent has next to nothing of a shared policy's gradient
	Spike     Kind = "spike"     // a gradient is far longer than the last ones
)

// Roles are what agents gave to the steps of the latest updates.
type Roles struct {
	// Shared are the measured updates of every policy that several agents speak with. Policies of their own may differ: they are not compared.
	Shared map[string][]loss.Mass `json:"shared,omitempty"`
	Norms  []loss.Mass            `json:"norms,omitempty"` // of agents, or of policies whose agents are not told apart
	// Places are the messages of the last update, by agent, of which the most was to be learned.
	Places map[int][]store.Place `json:"places,omitempty"`
}

// Weigh takes in what agents gave to the steps of an update: by policy, where that was measured, and the norms of their gradients. It returns
// what fires for the first time.
func (w *Watch) Weigh(update int, episodes []*rollout.Episode, shared map[string]loss.Mass, norms map[string]float64) []store.Diagnostic {
	if len(norms) == 0 {
		return nil
	}
	limits, r := loss.UsualMass(), &w.Roles
	if r.Shared == nil {
		r.Shared = map[string][]loss.Mass{}
	}
	for policy, step := range shared {
		steps := append(r.Shared[policy], step)
		r.Shared[policy] = steps[max(0, len(steps)-limits.Window):]
	}
	var lengths loss.Mass
	for _, name := range slices.Sorted(maps.Keys(norms)) {
		lengths.Parts = append(lengths.Parts, loss.MassPart{Name: name, Norm: norms[name], Share: math.NaN(), Cos: math.NaN()})
	}
	r.Norms = append(r.Norms, lengths)
	r.Norms = r.Norms[max(0, len(r.Norms)-limits.Window-1):]
	r.Places = weightiest(update, episodes)
	return w.note(update, w.weights())
}

// weightiest are, by agent, the messages with the most tokens·|A|.
func weightiest(update int, episodes []*rollout.Episode) map[int][]store.Place {
	type message struct {
		store.Place
		weight float64
	}
	said := map[int][]message{}
	for _, e := range episodes {
		for i, n := range e.Nodes {
			for a := range n.Agents {
				if !n.Agents[a].Learns() {
					continue
				}
				m := message{Place: store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID, Node: i, Agent: n.Agents[a].Agent + 1}}
				for k := range n.Agents[a].Completions {
					c := &n.Agents[a].Completions[k]
					m.weight = max(m.weight, float64(len(c.Tokens))*math.Abs(c.Advantage))
				}
				said[m.Agent] = append(said[m.Agent], m)
			}
		}
	}
	out := map[int][]store.Place{}
	for agent, messages := range said {
		slices.SortStableFunc(messages, func(x, y message) int { return cmp.Compare(y.weight, x.weight) })
		for _, m := range messages[:min(len(messages), mostEvidence)] {
			out[agent] = append(out[agent], m.Place)
		}
	}
	return out
}

// weights applies the rules about what agents give to the gradient.
func (w *Watch) weights() []look {
	capture, dominance, starved := look{finding: Finding{Kind: Capture}}, look{finding: Finding{Kind: Dominance}}, look{finding: Finding{Kind: Starved}}
	limits := loss.UsualMass()
	for _, policy := range slices.Sorted(maps.Keys(w.Roles.Shared)) {
		steps := w.Roles.Shared[policy]
		means, said := limits.Means(steps), limits.Warnings(steps, true)
		slices.SortFunc(means, func(x, y loss.MassMeans) int { return cmp.Compare(w.number(x.Name), w.number(y.Name)) }) // steps that were read have another order
		judged := len(steps) >= limits.Window && len(means) > 1
		for _, m := range means {
			most := Check{Agent: w.number(m.Name), Value: m.Mass, Sense: AtLeast, Threshold: limits.Dominance}
			least := Check{Agent: most.Agent, Value: m.Mass, Sense: AtMost, Threshold: limits.Starved}
			w.weigh(&capture, policy, most, judged && !slices.Contains(said, "dominance:"+m.Name))
			w.weigh(&dominance, policy, most, judged && !slices.Contains(said, "capture:"+m.Name))
			w.weigh(&starved, policy, least, judged)
		}
	}
	return []look{capture, dominance, starved, w.spikes()}
}

// weigh applies a rule to an agent in a policy, which is named where there are several.
func (w *Watch) weigh(l *look, policy string, c Check, applies bool) {
	c.Rule = string(l.finding.Kind)
	if len(w.Roles.Shared) > 1 {
		c.Rule += store.In + policy
	}
	w.shown(l, c, applies)
}

// shown applies a rule whose evidence are the weightiest messages of its agent.
func (w *Watch) shown(l *look, c Check, applies bool) {
	places := w.Roles.Places[c.Agent]
	evidence := indices(len(places))
	shift(evidence, len(l.places))
	l.places = append(l.places, places...)
	l.finding.checkIf(applies, c, evidence)
}

// spikes looks for a gradient that is far longer than those before.
func (w *Watch) spikes() look {
	l, limits := look{finding: Finding{Kind: Spike}}, loss.UsualMass()
	if len(w.Roles.Norms) == 0 {
		return l
	}
	for _, p := range w.Roles.Norms[len(w.Roles.Norms)-1].Parts {
		jump, known := limits.Jump(w.Roles.Norms, p.Name)
		if !known {
			continue
		}
		c := Check{Rule: string(Spike), Agent: w.number(p.Name), Value: jump, Sense: AtLeast, Threshold: limits.Spike}
		if c.Agent == 0 {
			c.Rule += store.In + p.Name
		}
		w.shown(&l, c, true)
	}
	return l
}

// number is that of an agent with a name, from 1; 0: it is that of a policy.
func (w *Watch) number(name string) int {
	if at := slices.Index(w.Names, name); at >= 0 {
		return at + 1
	}
	n := 0
	if _, err := fmt.Sscanf(name, "agent%d", &n); err != nil {
		return 0
	}
	return n
}

// roleRemedies say what to try.
var roleRemedies = map[Kind]string{
	Capture:   "set loss.per to agents, give the agent a policy of its own (policies.sharing per-agent), or let it speak less often or shorter: it pulls the policy against another agent",
	Dominance: "see whether the others still improve; loss.per agents makes the agents even, and policies.sharing per-agent parts them",
	Starved:   "set loss.per to agents, let the agent speak more often, or see whether what it says changes the reward at all",
	Spike:     "set optimizer.clip_norm to 1 or lower optimizer.lr where it comes again; an agent with few messages has long gradients by chance",
}

// roleNeeds says of these rules what they need.
var roleNeeds = []store.Unchecked{
	{Rule: string(Capture), Why: unweighed},
	{Rule: string(Dominance), Why: unweighed},
	{Rule: string(Starved), Why: unweighed},
	{Rule: string(Spike), Why: "it needs six updates with optimizer steps"},
}

const unweighed = "no gradients of agents who share a policy were measured: it needs training.role_gradients, and steps on the messages of several of them"

// covers says that a rule was checked, of whatever policy.
func covers(r store.Rule, rule string) bool {
	name, _, _ := strings.Cut(r.Rule, store.In)
	return name == rule
}

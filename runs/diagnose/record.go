package diagnose

import (
	"slices"

	"parley/rl/rollout"
	"parley/runs/store"
	"parley/task"
)

// A Record is what one update leaves in the window.
type Record struct {
	Update  int      `json:"update"`
	Actions []Action `json:"actions"`
	Groups  []Group  `json:"groups"`
	Turns   []Turns  `json:"turns"`
}

// An Action is one scored joint action.
type Action struct {
	Place  store.Place   `json:"place"`
	Reward float64       `json:"reward"`           // share of the range
	End    bool          `json:"end,omitempty"`    // nothing of its dialogue came after it
	Agents []int         `json:"agents,omitempty"` // who spoke, counted from 0; none: all agents
	Usable []bool        `json:"usable"`           // of each of them
	Tokens []float64     `json:"tokens"`           // of each of them
	Facts  *task.Signals `json:"facts,omitempty"`
}

// A Group holds the credits of the completions of one trained agent at one node, or of all trained agents in the episodes of a problem that has
// several: there, what was said is compared with all of them.
type Group struct {
	Place   store.Place `json:"place"`
	Credits []float64   `json:"credits"`
}

// Turns are the mean rewards of an episode per turn, as shares of the range; one that ended early is shorter.
type Turns struct {
	Place   store.Place `json:"place"`
	Rewards []float64   `json:"rewards"`
}

// record takes from credited episodes what the rules need.
func (s Settings) record(update int, episodes []*rollout.Episode) Record {
	r := Record{Update: update}
	for _, e := range episodes {
		var rewards, counts []float64
		if s.Groups && e.Samples() > 1 {
			r.Groups = append(r.Groups, compared(update, e)...)
		}
		goesOn := map[int]bool{}
		for _, n := range e.Nodes {
			goesOn[n.Parent] = true
		}
		for i, n := range e.Nodes {
			if e.FailedSample(n.Sample) {
				continue // it has no rewards
			}
			place := store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID, Node: i}
			for len(rewards) <= n.Turn {
				rewards, counts = append(rewards, 0), append(counts, 0)
			}
			for k := range n.Joint {
				a := s.action(place, n, k)
				a.End = !goesOn[i]
				rewards[n.Turn] += a.Reward
				counts[n.Turn]++
				r.Actions = append(r.Actions, a)
			}
			if s.Groups && e.Samples() == 1 {
				r.Groups = append(r.Groups, groups(place, n)...)
			}
		}
		for t := range rewards {
			rewards[t] /= max(counts[t], 1)
		}
		r.Turns = append(r.Turns, Turns{store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID}, rewards})
	}
	return r
}

func (s Settings) action(place store.Place, n *rollout.Node, k int) Action {
	place.Action = &k
	a := Action{Place: place, Reward: s.Processed.share(n.Rewards[k])}
	if k < len(n.Scored) {
		a.Facts = n.Scored[k].Signals
		if s.Learned {
			a.Reward = s.Raw.share(n.Scored[k].Reward)
		}
	}
	if slices.ContainsFunc(n.Agents, func(t rollout.AgentTurn) bool { return t.Speaker != "" }) {
		return a // shares of tokens say nothing where not all have some
	}
	for actor, g := range n.Joint[k] {
		c := &n.Agents[actor].Completions[g]
		a.Agents = append(a.Agents, n.Agents[actor].Agent)
		a.Tokens = append(a.Tokens, float64(len(c.Tokens)))
		a.Usable = append(a.Usable, c.Text != "" && (c.HasAnswer || !s.Answers))
	}
	if a.Facts != nil && len(a.Facts.Usable) == len(a.Usable) {
		a.Usable = a.Facts.Usable
	}
	return a
}

// groups leaves frozen agents out: nothing is learned from their groups.
func groups(place store.Place, n *rollout.Node) []Group {
	var out []Group
	for i := range n.Agents {
		agentTurn := &n.Agents[i]
		if !agentTurn.Learns() {
			continue
		}
		place.Agent = agentTurn.Agent + 1
		g := Group{Place: place}
		for j := range agentTurn.Completions {
			g.Credits = append(g.Credits, agentTurn.Completions[j].Reward)
		}
		out = append(out, g)
	}
	return out
}

// compared is the one group of a problem with several episodes: what trained agents said in those that were scored. Credits are compared with those
// of their turn, because a return differs with its place in an episode: each is less the mean of the agent's in that turn, plus the mean of all.
func compared(update int, e *rollout.Episode) []Group {
	all := Group{Place: store.Place{Update: update, Index: e.Index, Problem: e.Problem.ID}}
	type place struct{ turn, agent int }
	var places []place
	like := map[place][]float64{}
	for _, n := range e.Nodes {
		if e.FailedSample(n.Sample) {
			continue
		}
		for _, g := range groups(all.Place, n) {
			at := place{n.Turn, g.Place.Agent}
			for _, c := range g.Credits {
				all.Credits, places, like[at] = append(all.Credits, c), append(places, at), append(like[at], c)
			}
		}
	}
	if len(all.Credits) == 0 {
		return nil
	}
	whole := mean(all.Credits)
	for i, at := range places {
		all.Credits[i] += whole - mean(like[at])
	}
	return []Group{all}
}

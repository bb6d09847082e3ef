package workflow

import (
	"fmt"

	"parley/internal/tie"
	"parley/rl/credit"
)

// A Baseline names the group that a message is compared in.
type Baseline string

// The baselines.
const (
	ByProblem   Baseline = "problem"    // scores of the problem's episodes
	ByAgent     Baseline = "agent"      // returns of the agent's messages to the problem
	ByAgentTurn Baseline = "agent_turn" // those of the agent's k-th messages
	Global      Baseline = "global"     // returns of all messages to the problem
)

// What is left out of the mean that a message is compared with.
const (
	LeaveNone    = "none"
	LeaveMessage = "message" // its own value
	LeaveEpisode = "episode" // all values of its episode
)

// A Comparison says how returns become advantages.
type Comparison struct {
	Baseline Baseline
	Spread   credit.Spread
	Leave    string // LeaveNone, LeaveMessage or LeaveEpisode
	// Raw gives a message that has no other to be compared with its return as advantage, as published codes do; otherwise its
	// advantage is 0.
	Raw bool
	// Replace puts the score of an episode in the place of the returns of its messages, under ByProblem.
	Replace bool
	// BySteps takes the number of the step for the turn, under ByAgentTurn; otherwise the count of the agent's own messages.
	BySteps bool
	// Batch puts all problems of a batch into one group, under Global.
	Batch bool
}

// Check returns an error for words that are unknown.
func (c Comparison) Check() error {
	switch c.Baseline {
	case ByProblem, ByAgent, ByAgentTurn, Global:
	default:
		return fmt.Errorf("baseline %q: write problem, agent, agent_turn or global", c.Baseline)
	}
	switch c.Leave {
	case LeaveNone, LeaveMessage, LeaveEpisode:
	default:
		return fmt.Errorf("leave-one-out %q: write none, message or episode", c.Leave)
	}
	return c.Spread.Check()
}

// A Key names a group. Parts that a baseline does not tell apart are -1.
type Key struct{ Problem, Agent, Turn int }

// A Group is what messages were compared in.
type Group struct {
	Key    Key
	Values []float64
	Mean   float64
	Std    float64 // 0 where it is not divided by one
	Dead   bool    // all values are one: it teaches nothing

	byEpisode map[int]part // counted over all problems
}

// A part is what one episode has in a group.
type part struct {
	n   int
	sum float64
}

// Advantages compares the messages of the episodes of some problems, [problem][episode][message]. An episode that is nil failed and takes no part;
// an agent that says nothing in an episode has no value there. Groups are in the order of their first message.
func (c Comparison) Advantages(problems [][][]Message) ([][][]float64, []*Group, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	groups, index := c.groups(problems)
	for _, g := range groups {
		g.close(c.Spread)
	}
	out := make([][][]float64, len(problems))
	episode := 0
	for p, episodes := range problems {
		out[p] = make([][]float64, len(episodes))
		for e, messages := range episodes {
			score, _ := meanReturn(messages)
			for _, m := range messages {
				g := index[c.key(p, m)]
				value, compared := m.Return, m.Return // what is in the group, and what is compared with it
				if c.Baseline == ByProblem {
					value = score
				}
				if c.Replace && c.Baseline == ByProblem {
					compared = score
				}
				out[p][e] = append(out[p][e], c.advantage(g, episode, value, compared))
			}
			if messages != nil && out[p][e] == nil {
				out[p][e] = []float64{}
			}
			episode++
		}
	}
	return out, groups, nil
}

// groups collects the values of every group.
func (c Comparison) groups(problems [][][]Message) (list []*Group, index map[Key]*Group) {
	index = map[Key]*Group{}
	episode := 0
	for p, episodes := range problems {
		for _, messages := range episodes {
			for i, m := range messages {
				k := c.key(p, m)
				g := index[k]
				if g == nil {
					g = &Group{Key: k, byEpisode: map[int]part{}}
					index[k], list = g, append(list, g)
				}
				switch {
				case c.Baseline != ByProblem:
					g.add(m.Return, episode)
				case i == 0: // the whole episode is one value
					score, _ := meanReturn(messages)
					g.add(score, episode)
				}
			}
			episode++
		}
	}
	return list, index
}

func (c Comparison) key(problem int, m Message) Key {
	switch c.Baseline {
	case ByAgent:
		return Key{problem, m.Agent, -1}
	case ByAgentTurn:
		if c.BySteps {
			return Key{problem, m.Agent, m.Step}
		}
		return Key{problem, m.Agent, m.Turn}
	}
	if c.Batch && c.Baseline == Global {
		return Key{-1, -1, -1}
	}
	return Key{problem, -1, -1}
}

func (g *Group) add(value float64, episode int) {
	g.Values = append(g.Values, value)
	own := g.byEpisode[episode]
	g.byEpisode[episode] = part{own.n + 1, own.sum + value}
}

// close computes what all messages of the group share.
func (g *Group) close(s credit.Spread) {
	g.Mean = sum(g.Values) / float64(len(g.Values))
	g.Std, _ = s.Of(g.Values)
	g.Dead = tie.All(g.Values, 0)
}

// advantage is that of a message of an episode, whose value is in the group.
func (c Comparison) advantage(g *Group, episode int, value, compared float64) float64 {
	b, ok := c.baseline(g, episode, value)
	if !ok {
		return c.alone(compared)
	}
	if !g.Dead {
		return c.Spread.Scale(compared-b, g.Std)
	}
	if c.Baseline == ByProblem && !c.Replace {
		return compared - b // equal scores of episodes whose messages differ: centred, not divided
	}
	return 0
}

// baseline is the mean that a message is compared with; ok is false where nobody is left for it.
func (c Comparison) baseline(g *Group, episode int, value float64) (b float64, ok bool) {
	n, total := len(g.Values), sum(g.Values)
	out := part{}
	switch {
	case c.Leave == LeaveNone:
		return g.Mean, n > 1
	case c.Leave == LeaveEpisode || c.Baseline == ByProblem:
		out = g.byEpisode[episode]
	default:
		out = part{1, value}
	}
	if n == out.n {
		return 0, false
	}
	return (total - out.sum) / float64(n-out.n), true
}

// alone is the advantage of a message that nobody is compared with.
func (c Comparison) alone(value float64) float64 {
	if !c.Raw {
		return 0
	}
	return c.Spread.Scale(value, 1)
}

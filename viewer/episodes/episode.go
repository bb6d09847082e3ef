package episodes

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"parley/rl/rollout"
	"parley/runs"
	"parley/team"
)

// An Episode is everything that happened to one problem, as a grid of agents and turns.
type Episode struct {
	Update     int               `json:"update"`
	Index      int               `json:"index"`
	Problem    Problem           `json:"problem"`
	Agents     []Agent           `json:"agents"`
	Turns      int               `json:"turns"`
	Samples    int               `json:"samples"`
	Failed     string            `json:"failed"`
	Refused    map[string]string `json:"refused"`
	Nodes      []Node            `json:"nodes"`
	Solo       []Node            `json:"solo"` // played without one of the agents
	RewardNote string            `json:"reward_note"`
	Critic     bool              `json:"critic"`            // each token has an advantage of its own
	Program    bool              `json:"program,omitempty"` // the team works in a program: each node is a call
	Neighbours Neighbours        `json:"neighbours"`
	Group      []Place           `json:"group"` // other episodes of the same problem in the same update
}

// A Problem is what was asked.
type Problem struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Truth    string            `json:"truth"`
	Fields   map[string]string `json:"fields"`
}

// An Agent is a row of the grid.
type Agent struct {
	Agent int    `json:"agent"`
	Name  string `json:"name"`
}

// A Place is where an episode is.
type Place struct {
	Update int `json:"update"`
	Index  int `json:"index"`
}

// Neighbours are the episodes before and behind, in the order in which they were played; nil: there is none.
type Neighbours struct {
	Previous *Place `json:"previous"`
	Next     *Place `json:"next"`
}

// A Node is one turn of one dialogue.
type Node struct {
	Node         int     `json:"node"`
	Turn         int     `json:"turn"`
	Parent       int     `json:"parent"`
	ParentAction int     `json:"parent_action"`
	Sample       int     `json:"sample"`
	Ended        bool    `json:"ended"`
	Failed       string  `json:"failed"`
	WentOn       []int   `json:"went_on"` // joint actions that a later node continues
	Cells        []Cell  `json:"cells"`
	Joint        []Joint `json:"joint"`
	// Answers are what the team answered here, where a program says it.
	Answers []string `json:"answers,omitempty"`
}

// A Joint is a joint action and what came of it.
type Joint struct {
	Action      int                `json:"action"`
	Completions []int              `json:"completions"`
	Reward      *float64           `json:"reward"`
	Parts       map[string]float64 `json:"parts"`
	Flags       []string           `json:"flags"`
	Own         map[string]float64 `json:"own"`
	Report      []string           `json:"report"`
	WentOn      bool               `json:"went_on"`
	Outcome     []rollout.Observed `json:"outcome"`
	Unscored    bool               `json:"unscored"`
}

// A Cell is what one agent was asked at a node and what it answered.
type Cell struct {
	Agent        int            `json:"agent"`
	Name         string         `json:"name"`
	Policy       string         `json:"policy"`
	Opponent     string         `json:"opponent"`
	Speaker      string         `json:"speaker"`
	Sampling     Sampling       `json:"sampling"`
	Messages     []team.Message `json:"messages"`
	PromptTokens int            `json:"prompt_tokens"`
	Dropped      int            `json:"dropped"`
	Saw          []Seen         `json:"saw"`
	Completions  []Completion   `json:"completions"`
}

// Sampling is how a completion was drawn.
type Sampling struct {
	Temperature float64 `json:"temperature"`
	TopK        int     `json:"top_k"`
	TopP        float64 `json:"top_p"`
}

// A Seen is an answer whose words stand in a prompt.
type Seen struct {
	Node       int `json:"node"`
	Agent      int `json:"agent"`
	Completion int `json:"completion"`
}

// A NoneError says that there is no such episode, or nothing of that number in it.
type NoneError struct{ What string }

func (e *NoneError) Error() string { return "there is no " + e.What }

// Read returns an episode as the run has it, its neighbours, and other episodes of its problem in the update.
func (s *Store) Read(update, index int) (found *rollout.Episode, near Neighbours, group []Place, err error) {
	group = []Place{}
	rows, damage := s.Rows(update)
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Index == index })
	if at < 0 {
		if damage != nil && !errors.Is(damage, fs.ErrNotExist) {
			return nil, near, nil, damaged(damage)
		}
		return nil, near, nil, &NoneError{fmt.Sprintf("episode %d of update %d", index, update)}
	}
	for i, r := range rows {
		switch {
		case i == at-1:
			near.Previous = &Place{r.Update, r.Index}
		case i == at+1:
			near.Next = &Place{r.Update, r.Index}
		}
		if i != at && r.Problem == rows[at].Problem {
			group = append(group, Place{r.Update, r.Index})
		}
	}
	n := 0
	err = runs.EpisodeLines(s.dir, update, func(line []byte) error {
		if n++; n-1 != at {
			return nil
		}
		if found, err = rollout.ReadEpisode(line); err != nil {
			return plain(err)
		}
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return found, near, group, damaged(err)
}

// errStop ends the reading of a file when what was looked for is found.
var errStop = errors.New("found")

// Show is an episode as people look at it.
func Show(e *rollout.Episode, near Neighbours, group []Place, t Team) *Episode {
	out := &Episode{
		Update: e.Update, Index: e.Index, Problem: Problem{e.Problem.ID, e.Problem.Question, e.Problem.Truth, map[string]string{}},
		Samples: e.Samples(), Failed: e.Failed(), Refused: map[string]string{}, Neighbours: near, Group: group, RewardNote: t.note(), Critic: t.Critic(), Program: t.Program, Solo: []Node{},
	}
	for name, v := range e.Problem.Fields {
		out.Problem.Fields[name] = fmt.Sprint(v)
	}
	for sample, why := range e.Refused {
		out.Refused[fmt.Sprint(sample)] = why
	}
	out.Nodes = nodes(e, t)
	if e.Solo != nil {
		out.Solo = nodes(e.Solo, t)
	}
	for _, n := range append(slices.Clone(out.Nodes), out.Solo...) {
		out.Turns = max(out.Turns, n.Turn+1)
		for _, c := range n.Cells {
			if !slices.ContainsFunc(out.Agents, func(a Agent) bool { return a.Agent == c.Agent }) {
				out.Agents = append(out.Agents, Agent{c.Agent, c.Name})
			}
		}
	}
	slices.SortFunc(out.Agents, func(a, b Agent) int { return a.Agent - b.Agent })
	return out
}

func nodes(e *rollout.Episode, t Team) []Node {
	out := make([]Node, len(e.Nodes))
	for i, n := range e.Nodes {
		out[i] = Node{
			Node: i, Turn: n.Turn, Parent: n.Parent, ParentAction: n.ParentAction, Sample: n.Sample, Ended: n.Ended, Failed: n.Failed,
			WentOn: followed(e, i), Cells: []Cell{}, Joint: []Joint{},
		}
		for _, text := range n.Answers {
			text, _ = cut(text)
			out[i].Answers = append(out[i].Answers, text)
		}
		for a := range n.Joint {
			out[i].Joint = append(out[i].Joint, joint(n, a, slices.Contains(out[i].WentOn, a), t))
		}
		why := newReasons(e, i, t)
		for k := range n.Agents {
			out[i].Cells = append(out[i].Cells, cell(e, i, k, t, why))
		}
	}
	return out
}

// followed are the joint actions of a node that others continue.
func followed(e *rollout.Episode, node int) []int {
	out := []int{}
	for _, n := range e.Nodes {
		if n.Parent == node && !slices.Contains(out, n.ParentAction) {
			out = append(out, n.ParentAction)
		}
	}
	slices.Sort(out)
	return out
}

func joint(n *rollout.Node, a int, wentOn bool, t Team) Joint {
	j := Joint{Action: a, Completions: n.Joint[a], WentOn: wentOn, Parts: map[string]float64{}, Flags: []string{}, Unscored: slices.Contains(n.Unscored, a)}
	if a < len(n.Rewards) && !j.Unscored {
		j.Reward = Number(n.Rewards[a])
	}
	if a < len(n.Scored) {
		for name, x := range n.Scored[a].Parts {
			j.Parts[name] = finite(x)
		}
		j.Flags = append(j.Flags, n.Scored[a].Flags...)
	}
	if a < len(n.Own) {
		j.Own = map[string]float64{}
		for agent, x := range n.Own[a] {
			j.Own[t.Name(agent)] = finite(x)
		}
	}
	if a < len(n.Reports) {
		j.Report = n.Reports[a]
	}
	if a < len(n.Outcomes) {
		j.Outcome = n.Outcomes[a]
	}
	return j
}

func cell(e *rollout.Episode, node, k int, t Team, why *reasons) Cell {
	a := &e.Nodes[node].Agents[k]
	c := Cell{
		Agent: a.Agent, Name: t.Name(a.Agent), Policy: string(a.Policy), Opponent: a.Opponent, Speaker: a.Speaker,
		Sampling: Sampling{a.Sampling.Temperature, a.Sampling.TopK, a.Sampling.TopP}, Messages: []team.Message{}, PromptTokens: len(a.Prompt), Dropped: a.Dropped,
		Saw: saw(e, node, a.Messages), Completions: []Completion{},
	}
	for _, m := range a.Messages {
		m.Content, _ = cut(m.Content)
		c.Messages = append(c.Messages, m)
	}
	for i := range a.Completions {
		c.Completions = append(c.Completions, completion(e, a, i, why.of(k, i)))
	}
	return c
}

// Number is a number that JSON can hold; nil: it is none.
func Number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

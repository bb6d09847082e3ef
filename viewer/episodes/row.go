// Package episodes reads the episodes of a run for people: as a list with filters, as distributions, and one by one.
//
// A run may have a thousand updates of hundreds of episodes. So nothing is read before it is asked for: the list goes from the newest update
// backwards, one file at a time, stops when a page is full or its time is over, and goes on from there when it is asked again. What lists
// need of an update, its rows, is kept while memory for it is left.
//
//	row.go          one episode in a list
//	store.go        rows by update, and how much of them is kept
//	filter.go       what a reader wants to see
//	page.go         a page of the list, and distributions
//	episode.go      one episode as a grid of agents and turns
//	saw.go          whose words stand in a prompt
//	why.go          formulas of rewards and advantages
//	tokens.go       the tokens of one completion
//	whole.go        all episodes of an update, for who counts
//	through.go      the same problem through training
//
// Everything here only reads, takes no lock, and works while a process writes to the run.
package episodes

import (
	"encoding/json"
	"math"
	"slices"
	"unicode/utf8"
)

// A Row is one episode in a list: what lists show and filters ask for, without its dialogue.
type Row struct {
	Update       int      `json:"update"`
	Index        int      `json:"index"`
	Problem      string   `json:"problem"`
	Question     string   `json:"question"` // its beginning
	Nodes        int      `json:"nodes"`
	Completions  int      `json:"completions"`
	Turns        int      `json:"turns"`
	Samples      int      `json:"samples"`
	Reward       *float64 `json:"reward"` // mean over completions
	RewardMin    *float64 `json:"reward_min"`
	RewardMax    *float64 `json:"reward_max"`
	AdvantageMin *float64 `json:"advantage_min"`
	AdvantageMax *float64 `json:"advantage_max"`
	Correct      *float64 `json:"correct"` // share of right answers of the last turn that has answers; nil: there is no truth
	RightWrong   bool     `json:"right_wrong"`
	WrongRight   bool     `json:"wrong_right"`
	Truncated    int      `json:"truncated"`
	Flags        []string `json:"flags"`
	Failed       string   `json:"failed"`
	Tokens       int      `json:"tokens"`
	Damaged      string   `json:"damaged,omitempty"` // why it cannot be read: nothing but its place is known, and its problem perhaps

	said []said
}

// said is what a filter or a distribution wants to know of one completion.
type said struct {
	agent, tokens            int32
	reward, advantage, score float32
	truncated                bool
	rightWrong, wrongRight   bool
	flags                    []string
}

// light is an episode as a list reads it: neither prompts nor tokens are kept.
type light struct {
	Update, Index int
	Problem       struct {
		ID, Question, Truth string
	}
	Nodes   []lightNode
	Refused map[string]string
}

type lightNode struct {
	Turn, Parent int
	ParentAction int `json:"parent_action"`
	Sample       int
	Failed       string
	Joint        [][]int
	Agents       []lightAgent
	Scored       []struct{ Flags []string }
}

type lightAgent struct {
	Agent       int
	Speaker     string
	Completions []lightCompletion
}

type lightCompletion struct {
	Logprobs                 count
	Text, Answer, Stop       string
	Correct                  bool
	HasAnswer                bool `json:"has_answer"`
	Score, Reward, Advantage float64
	Flags                    []string
}

// count is the length of a list of numbers, which is not kept.
type count int

// UnmarshalJSON counts.
func (c *count) UnmarshalJSON(data []byte) error {
	*c = 0
	if len(data) > 2 {
		*c = 1
		for _, b := range data {
			if b == ',' {
				*c++
			}
		}
	}
	return nil
}

// longestQuestion is how much of a question a list shows, in bytes.
const longestQuestion = 200

// readRow reads a line of a file of episodes. text is called with the texts of the episode until it returns false; nil: nobody asks.
// If the line is damaged, it returns what can be read of the problem.
func readRow(line []byte, text func(string) bool) (Row, error) {
	var e light
	err := json.Unmarshal(line, &e)
	row := Row{Update: e.Update, Index: e.Index, Problem: e.Problem.ID, Question: Begin(e.Problem.Question, longestQuestion), Flags: []string{}}
	if err != nil {
		err = plain(err)
		row.Damaged = err.Error()
		return row, err
	}
	row.Nodes, row.Samples = len(e.Nodes), 1
	if text != nil && text(e.Problem.Question) {
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				for _, c := range a.Completions {
					if !text(c.Text) {
						break
					}
				}
			}
		}
	}
	row.read(&e)
	return row, nil
}

// read adds up what the nodes say.
func (row *Row) read(e *light) {
	sums, failed := sum{}, 0
	for i := range e.Nodes {
		n := &e.Nodes[i]
		row.Turns, row.Samples = max(row.Turns, n.Turn+1), max(row.Samples, n.Sample+1)
		if n.Failed != "" {
			failed++
			if row.Failed == "" {
				row.Failed = n.Failed
			}
		}
		for _, s := range n.Scored {
			row.flag(s.Flags)
		}
		for k := range n.Agents {
			row.listen(e, i, &n.Agents[k], &sums)
		}
	}
	for _, why := range e.Refused {
		row.Failed = why
	}
	if len(row.said) > 0 {
		row.Reward, row.RewardMin, row.RewardMax = new(sums.reward/float64(len(row.said))), new(sums.rewardMin), new(sums.rewardMax)
		row.AdvantageMin, row.AdvantageMax = new(sums.advantageMin), new(sums.advantageMax)
	}
	if e.Problem.Truth != "" {
		row.Correct = sums.correct()
	}
}

// sum is what is added up over completions.
type sum struct {
	reward, rewardMin, rewardMax, advantageMin, advantageMax float64
	right, last                                              []int // by turn
}

// correct is the share of right answers of the last turn that has some.
func (s *sum) correct() *float64 {
	for turn, n := range slices.Backward(s.last) {
		if n > 0 {
			return new(float64(s.right[turn]) / float64(n))
		}
	}
	return nil
}

// listen adds what one agent said at a node.
func (row *Row) listen(e *light, node int, a *lightAgent, sums *sum) {
	turn := e.Nodes[node].Turn
	before, spoke := e.before(node, a.Agent)
	for _, c := range a.Completions {
		s := said{agent: int32(a.Agent), tokens: int32(c.Logprobs), reward: narrow(c.Reward), advantage: narrow(c.Advantage), score: narrow(c.Score), truncated: c.Stop == "length", flags: c.Flags}
		judged := Judged(a.Speaker, c.HasAnswer)
		if spoke && judged && e.Problem.Truth != "" {
			s.rightWrong, s.wrongRight = before && !c.Correct, !before && c.Correct
		}
		if len(row.said) == 0 {
			sums.rewardMin, sums.rewardMax, sums.advantageMin, sums.advantageMax = c.Reward, c.Reward, c.Advantage, c.Advantage
		}
		sums.reward += c.Reward
		sums.rewardMin, sums.rewardMax = min(sums.rewardMin, c.Reward), max(sums.rewardMax, c.Reward)
		sums.advantageMin, sums.advantageMax = min(sums.advantageMin, c.Advantage), max(sums.advantageMax, c.Advantage)
		for len(sums.last) <= turn && turn < mostTurns {
			sums.last, sums.right = append(sums.last, 0), append(sums.right, 0)
		}
		if judged && turn >= 0 && turn < len(sums.last) {
			sums.last[turn]++
			if c.Correct {
				sums.right[turn]++
			}
		}
		row.said = append(row.said, s)
		row.Completions, row.Tokens = row.Completions+1, row.Tokens+int(s.tokens)
		row.RightWrong, row.WrongRight = row.RightWrong || s.rightWrong, row.WrongRight || s.wrongRight
		if s.truncated {
			row.Truncated++
		}
		row.flag(c.Flags)
	}
}

// narrow is a number in 32 bits: the largest that they can hold where it is larger.
func narrow(x float64) float32 {
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}

// mostTurns bounds what a hostile number of turns can make.
const mostTurns = 1 << 13

func (row *Row) flag(flags []string) {
	for _, f := range flags {
		if !slices.Contains(row.Flags, f) {
			row.Flags = append(row.Flags, f)
		}
	}
}

// before says whether the agent's answer before a node, on the way to it, was right, and whether there was one.
func (e *light) before(node, agent int) (right, spoke bool) {
	for range e.Nodes { // no longer than there are nodes, whatever the file says
		n := e.Nodes[node]
		if n.Parent < 0 || n.Parent >= node {
			return false, false
		}
		parent, action := e.Nodes[n.Parent], n.ParentAction
		for k, a := range parent.Agents {
			if a.Agent != agent || action < 0 || action >= len(parent.Joint) || k >= len(parent.Joint[action]) {
				continue
			}
			if c := parent.Joint[action][k]; c >= 0 && c < len(a.Completions) {
				return a.Completions[c].Correct, true
			}
		}
		node = n.Parent
	}
	return false, false
}

// Begin is the beginning of a text: at most so many bytes, and no half characters.
func Begin(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// size is about how much memory a row takes.
func (row *Row) size() int {
	n := 400 + len(row.Problem) + len(row.Question) + len(row.said)*64
	for _, f := range row.Flags {
		n += len(f) + 16
	}
	return n
}

// finite is a number that JSON can hold.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

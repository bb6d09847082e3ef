package episodes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/rl/rollout"
	"parley/team"
)

// An Earlier answer was given before a prompt was written, which may show it.
type Earlier struct {
	Seen
	By    *rollout.AgentTurn
	Shown bool
}

// Before are the answers on the way to a node, the first ones first, by the agents who are asked there: whether the prompt of each shows them. The
// protocol of the team says it, where it can be asked again. Else a prompt shows what some message quotes word for word.
func Before(p team.Protocol, e *rollout.Episode, node int) [][]Earlier {
	var way []Earlier
	var h team.History
	for at := node; e.Nodes[at].Parent >= 0; at = e.Nodes[at].Parent {
		parent, action := e.Nodes[at].Parent, e.Nodes[at].ParentAction
		n := e.Nodes[parent]
		for k, completion := range slices.Backward(n.Joint[action]) {
			a, c := &n.Agents[k], &n.Agents[k].Completions[completion]
			said := team.Answer{Turn: n.Turn, Agent: a.Agent, Text: c.Text, Score: c.Score}
			if c.HasAnswer {
				said.Final = c.Answer
			}
			if n.Reports != nil && k < len(n.Reports[action]) {
				said.Report = n.Reports[action][k]
			}
			way, h = append(way, Earlier{Seen: Seen{parent, a.Agent, completion}, By: a}), append(h, said)
		}
	}
	slices.Reverse(way)
	slices.Reverse(h)
	turns := e.Nodes[node].Agents
	asks := make([]team.Ask, len(turns))
	for i, a := range turns {
		asks[i] = team.Ask{Turn: e.Nodes[node].Turn, Agent: a.Agent, Messages: a.Messages}
	}
	shown := team.Shows(p, e.Problem, h, asks, func(ask, answer int) bool {
		c := &way[answer].By.Completions[way[answer].Completion]
		return slices.ContainsFunc([]string{c.Text, string(c.Visible), string(h[answer].Shown())}, func(text string) bool { return quoted(text, turns[ask].Messages) })
	})
	out := make([][]Earlier, len(turns))
	for i := range out {
		out[i] = slices.Clone(way)
		for k := range way {
			out[i][k].Shown = shown[i][k]
		}
	}
	return out
}

// quoted says whether a message has the text. A single word, such as the number of a move, has to stand there by itself: it is a part of many others.
func quoted(text string, messages []team.Message) bool {
	if text = strings.TrimSpace(text); text == "" {
		return false
	}
	one := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) }) < 0
	for _, m := range messages {
		for from := 0; ; {
			at := strings.Index(m.Content[from:], text)
			if at < 0 {
				break
			}
			at += from
			from = at + len(text)
			before, _ := utf8.DecodeLastRuneInString(m.Content[:at])
			after, _ := utf8.DecodeRuneInString(m.Content[from:])
			if !one || !inWord(before) && !inWord(after) {
				return true
			}
		}
	}
	return false
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

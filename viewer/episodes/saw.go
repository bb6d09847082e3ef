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
	path := e.Path(node)
	for i, n := range path[:len(path)-1] {
		action := path[i+1].ParentAction
		for k, completion := range n.Joint[action] {
			way = append(way, Earlier{Seen: Seen{path[i+1].Parent, n.Agents[k].Agent, completion}, By: &n.Agents[k]})
		}
		h = append(h, n.Said(action)...)
	}
	turns := e.Nodes[node].Agents
	asks := make([]team.Ask, len(turns))
	for i, a := range turns {
		asks[i] = team.Ask{Agent: a.Agent, Messages: a.Messages}
	}
	shown := team.Shows(p, e.Problem, h, asks, func(ask, answer int) bool {
		c := &way[answer].By.Completions[way[answer].Completion]
		return slices.ContainsFunc([]string{c.Text, string(c.Visible), string(h[answer].Shown())}, func(text string) bool { return quoted(text, turns[ask].Messages) })
	})
	out := make([][]Earlier, len(turns))
	for i := range out {
		for k, b := range way {
			b.Shown = shown[i][k]
			out[i] = append(out[i], b)
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

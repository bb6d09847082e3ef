package episodes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/rl/rollout"
	"parley/team"
)

// saw finds whose words stand in a prompt: the answers before a node, on the way to it, that some message quotes word for word. A prompt that
// says another thing in the place of an answer shows nothing of it.
func saw(e *rollout.Episode, node int, messages []team.Message) []Seen {
	out := []Seen{}
	for _, b := range Before(e, node, messages) {
		if b.Quoted {
			out = append(out, b.Seen)
		}
	}
	return out
}

// An Earlier answer was given before a prompt was written, which may quote it.
type Earlier struct {
	Seen
	By     *rollout.AgentTurn
	Quoted bool
}

// Before are the answers on the way to a node, the last ones first, and whether the messages of a prompt quote them.
func Before(e *rollout.Episode, node int, messages []team.Message) (out []Earlier) {
	for at := node; e.Nodes[at].Parent >= 0; {
		action := e.Nodes[at].ParentAction
		at = e.Nodes[at].Parent
		n := e.Nodes[at]
		if action < 0 || action >= len(n.Joint) {
			return out
		}
		for k, completion := range n.Joint[action] {
			c := &n.Agents[k].Completions[completion]
			shown := quoted(c.Text, messages) || quoted(string(c.Visible), messages) || quoted(string(team.Answer{Text: c.Text, Final: c.Answer}.Shown()), messages)
			out = append(out, Earlier{Seen{at, n.Agents[k].Agent, completion}, &n.Agents[k], shown})
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

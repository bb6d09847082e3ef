package team

import (
	"fmt"
	"strings"

	"parley/task"
)

// central is the protocol of one model that does the work of all agents.
type central struct{ roles Protocol } // who would be asked what

// Centrally is the protocol of one model that is asked at once what a team would be asked in its first turn. All its agents have to be asked there.
func Centrally(roles Protocol) Protocol { return central{roles} }

func (c central) Agents() int { return 1 }
func (c central) Turns() int  { return 1 }

// Next implements [Protocol].
func (c central) Next(p task.Problem, h History) ([]Ask, error) {
	asks, err := c.roles.Next(p, nil)
	if err != nil || len(h) > 0 {
		return nil, err
	}
	if len(asks) != c.roles.Agents() {
		return nil, fmt.Errorf("one model is to write for %d agents, but only %d are asked in the first turn", c.roles.Agents(), len(asks))
	}
	var out Ask
	var b strings.Builder
	fmt.Fprintf(&b, "You do the work of %d agents.\n\n", len(asks))
	for _, a := range asks {
		for _, m := range a.Messages {
			if m.Role != System {
				fmt.Fprintf(&b, "Agent %d is asked:\n%s\n\n", a.Agent+1, m.Content)
			} else if a.Agent == 0 {
				out.Messages = append(out.Messages, m)
			}
		}
	}
	b.WriteString("Write what each agent answers, and nothing else, in this form:\n")
	for _, a := range asks {
		open, shut := Tags(a.Agent)
		fmt.Fprintf(&b, "%s\n...\n%s\n", open, shut)
	}
	out.Messages = append(out.Messages, Message{Role: User, Content: strings.TrimSpace(b.String())})
	return []Ask{out}, nil
}

// Tags are what stands around what one model writes for an agent, from 0.
func Tags(agent int) (open, shut string) {
	return fmt.Sprintf("<agent_%d>", agent+1), fmt.Sprintf("</agent_%d>", agent+1)
}

// Split returns what one model wrote for each of n agents. ok is false unless every agent has exactly one block; texts between
// the blocks are nobody's.
func Split(text string, n int) (parts []string, ok bool) {
	for agent := range n {
		open, shut := Tags(agent)
		if strings.Count(text, open) != 1 || strings.Count(text, shut) != 1 {
			return nil, false
		}
		from, to := strings.Index(text, open)+len(open), strings.Index(text, shut)
		if from > to {
			return nil, false
		}
		parts = append(parts, strings.TrimSpace(text[from:to]))
	}
	return parts, true
}

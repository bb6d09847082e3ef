package team

import "parley/task"

// Begin is what a chat about a problem begins with: the head that a team gives it, and what stands before the question in its data set. There is one
// system message at most: what the data say stands below what the team says.
func Begin(head []Message, p task.Problem) []Message {
	for _, m := range p.Before {
		switch {
		case m.Role == string(System) && len(head) > 0 && head[0].Role == System:
			head[0].Content += "\n\n" + m.Content
		case m.Role == string(System):
			head = append([]Message{{Role: System, Content: m.Content}}, head...)
		default:
			head = append(head, Message{Role: Role(m.Role), Content: m.Content})
		}
	}
	return head
}

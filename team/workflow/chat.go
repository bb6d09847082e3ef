package workflow

import "parley/team"

// messages is what an agent is asked by a step: its system message, the examples, its chat so far where that goes on, and the new prompt,
// which comes back by itself too.
func (k *walk) messages(s *step, agent, prompt int) (messages []team.Message, text string, err error) {
	here := k.view(agent, len(k.said), k.turn, k.round, k.notes, s.boxed)
	if text, err = s.prompts[prompt].render(here); err != nil {
		return nil, "", err
	}
	messages, err = k.chat(agent, text, s.goesOn, s.boxed)
	return messages, text, err
}

// chat is the chat of an agent that ends with a new prompt: behind its chat so far, or by itself.
func (k *walk) chat(agent int, prompt string, goesOn, boxed bool) ([]team.Message, error) {
	var chat []team.Message
	if goesOn {
		for _, p := range k.chats[agent] {
			earlier, err := k.promptOf(p)
			if err != nil {
				return nil, err
			}
			chat = appendText(chat, team.User, earlier)
			chat = append(chat, team.Message{Role: team.Assistant, Content: read(k.said[p.answer], boxed)})
		}
	}
	head, err := k.head(agent)
	return append(head, k.spec.Chat.Recall(appendText(chat, team.User, prompt))...), err
}

// head is what every chat of an agent begins with: its system message and the examples.
func (k *walk) head(agent int) ([]team.Message, error) {
	system, err := k.systems[agent].render(k.view(agent, 0, 0, 0, nil, false))
	return team.Begin(append(appendText(nil, team.System, system), k.examples...), k.problem), err
}

// promptOf is the prompt of an earlier turn: as the history has it, else made again of what was said then.
func (k *walk) promptOf(p prompted) (string, error) {
	if p.prompt != "" || p.step == nil {
		return p.prompt, nil
	}
	return p.step.prompts[0].render(k.view(p.agent, p.at, p.turn, p.round, p.notes, p.step.boxed))
}

// appendText adds a message, unless it is empty.
func appendText(chat []team.Message, role team.Role, text string) []team.Message {
	if text == "" {
		return chat
	}
	return append(chat, team.Message{Role: role, Content: text})
}

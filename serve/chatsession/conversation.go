package chatsession

import (
	"context"

	"parley/internal/seed"
	"parley/team"
)

// A Conversation is a dialogue with one speaker, which sees all that was said since the beginning or the last Reset.
type Conversation struct {
	Speaker  Voice
	Settings Settings // Seed is the root: every answer has a stream of its own
	System   string   // the system message; empty: none

	messages []team.Message
	answers  int // drawn so far, before resets too, so that no two share a stream
}

// Ask says text and lets the speaker answer. An answer that was interrupted is remembered as far as it came; a question that was
// not answered at all is forgotten.
func (c *Conversation) Ask(ctx context.Context, text string, say func(text string) error) (Reply, error) {
	asked := append(c.messages[:len(c.messages):len(c.messages)], team.Message{Role: team.User, Content: text})
	s := c.Settings
	s.Seed = seed.Derive(s.Seed, "talk", c.answers)
	c.answers++
	reply, err := c.Speaker.Say(ctx, c.dialogue(asked), s, say)
	if err == nil || reply.Text != "" {
		c.messages = append(asked, team.Message{Role: team.Assistant, Content: reply.Text})
	}
	return reply, err
}

// Reset forgets what was said.
func (c *Conversation) Reset() { c.messages = nil }

// dialogue puts the system message first.
func (c *Conversation) dialogue(messages []team.Message) []team.Message {
	if c.System == "" {
		return messages
	}
	return append([]team.Message{{Role: team.System, Content: c.System}}, messages...)
}

package train

import "fmt"

// warn tells of chat templates that print earlier turns in another way in later prompts. Training is right all the same: every
// turn is learned with the very prompt and answer ids that it was sampled with. But the model does not see in later turns what it
// wrote, and prompts of later turns share less computation with earlier ones.
func (s *session) warn(observe func(Event)) {
	if s.protocol.Turns() < 2 {
		return
	}
	for _, b := range s.bases {
		if err := b.model.CheckPrefix(); err != nil {
			observe(Event{Kind: Note, Message: fmt.Sprintf("model %s: %v; each turn is still trained on the ids that were sampled", b.model.Name, err)})
		}
	}
}

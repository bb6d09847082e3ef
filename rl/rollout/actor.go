package rollout

import (
	"fmt"

	"parley/engine"
	"parley/team"
)

// A Codec is how one base model reads dialogues and writes text.
type Codec interface {
	// Prompt renders a dialogue, up to the point where the model speaks, as token ids.
	Prompt(dialogue []team.Message) ([]int, error)
	// Text decodes completion tokens, special tokens left out.
	Text(tokens []int) string
	// Stop lists the tokens that end an answer.
	Stop() []int
}

// An Actor is where an agent sits: the engine that speaks for it and the policy it uses in each turn. Agents may sit on
// different engines with different base models; between them only text passes.
type Actor struct {
	Name    string // of the agent, for environments
	Engine  engine.Engine
	Codec   Codec
	Policy  func(turn int) engine.Policy
	Context int                     // most tokens of a sequence; 0: prompts are not checked
	Never   [][2]int                // ids that it does not say: see [engine.Mask]
	Own     func(Draw) Draw         // what it draws in another way than the team; nil: nothing
	Watch   func(least int) Watcher // follows an answer of at least so many tokens; nil: only end tokens and lengths end answers
	// Speaker speaks in the place of a policy; nil: the policy does. Engine and Codec are then those that others read its texts with.
	Speaker team.Speaker
	Many    bool  // the speaker gives as many answers as a policy would, whoever else is asked
	Tools   Tools // what it may call within its turn, in place of Watch; nil: nothing
}

// called is what messages call the agent of this number, from 0.
func (s Actor) called(agent int) string {
	if number := agent + 1; s.Name == "" || s.Name == fmt.Sprintf("agent%d", number) { // it has no name of its own
		return fmt.Sprintf("agent %d", number)
	}
	return s.Name
}

// A Draw is how a completion is drawn.
type Draw struct {
	Sampling  engine.Sampling
	MaxTokens int
	MinTokens int
	Form      string // what it is a text of; see [engine.Mask]
}

// Draws is how the actor draws under the settings of a team.
func (s Actor) Draws(team Settings) Draw {
	d := Draw{team.Sampling, team.MaxTokens, team.MinTokens, ""}
	if s.Own != nil {
		d = s.Own(d)
	}
	return d
}

// A Watcher ends an answer at a text.
type Watcher interface {
	engine.Watcher
	// Text is what was written before that text; false: it has not come.
	Text() (string, bool)
}

// prompt renders a dialogue as at most as many tokens as fit the context with an answer of maxTokens, or, unless the oldest
// tokens may go, with an answer of a single one. However long answers may be, half the context is the prompt's. dropped counts the tokens that
// went.
func (s Actor) prompt(dialogue []team.Message, maxTokens int, truncate bool) (prompt []int, dropped int, err error) {
	prompt, err = s.Codec.Prompt(dialogue)
	switch room := s.Context - min(maxTokens, s.Context/2); {
	case err != nil || s.Context == 0:
		return prompt, 0, err
	case truncate && len(prompt) > room:
		return prompt[len(prompt)-room:], len(prompt) - room, nil
	case len(prompt) >= s.Context:
		return nil, 0, fmt.Errorf("the prompt has %d tokens and the model's context %d: shorten the prompt or the answers it shows, or let `truncate: left` drop the oldest tokens", len(prompt), s.Context)
	}
	return prompt, 0, nil
}

// Dialogue renders a dialogue as at most as many tokens as fit the context with an answer of so many; see [Settings.Truncate].
func (s Actor) Dialogue(messages []team.Message, answer int, truncate bool) ([]int, error) {
	prompt, _, err := s.prompt(messages, answer, truncate)
	return prompt, err
}

// Prompt renders one user message as at most as many tokens as fit the context; see [Settings.Truncate].
func (s Actor) Prompt(text string, truncate bool) ([]int, error) {
	return s.Dialogue([]team.Message{{Role: team.User, Content: text}}, 1, truncate)
}

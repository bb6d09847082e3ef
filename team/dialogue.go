package team

import (
	"fmt"
	"strings"

	"parley/task"
)

// Settings are what the protocols have in common.
type Settings struct {
	Agents int
	Turns  int
	// SeeOthers lets later prompts show what the other agents said in the turn before.
	SeeOthers bool
	// ShowScores lets later prompts show the verifier's score of each answer (maporl.md §1.2).
	ShowScores bool
	Prompts    Prompts
	// Boxed has the agents of a debate read all answers, their own too, with the final one in a box on the last line (maporl.md §1.2).
	Boxed bool
	// Roles holds one text an agent, for templates that ask for .Role; empty: none.
	Roles []string
	// Memory says what of the dialogue prompts of later turns hold.
	Memory Memory
	// Feedback puts a score into words, for templates that show scores.
	Feedback func(score float64) string
}

// dialogue is the protocol behind all three: simultaneous turns, every agent with its own growing chat.
type dialogue struct {
	Settings
	prompts compiled
}

// NewDebate returns MAPoRL's debate (paper §3.1): moves within a turn are simultaneous, and the next turn's prompt of each
// agent shows what the others answered. With s.SeeOthers false an agent sees its own turns only.
func NewDebate(s Settings) (Protocol, error) { return newDialogue(s) }

// NewParallel returns the protocol of MAGRPO (paper §3): every agent answers its own prompt and never sees another's
// history; later turns ask it to revise its own answer.
func NewParallel(s Settings) (Protocol, error) {
	s.SeeOthers, s.Boxed = false, false
	return newDialogue(s)
}

// NewSingle returns the protocol of one agent; with several turns it corrects itself.
func NewSingle(s Settings) (Protocol, error) {
	s.Agents, s.SeeOthers, s.Boxed = 1, false, false
	return newDialogue(s)
}

func newDialogue(s Settings) (Protocol, error) {
	if s.Agents < 1 || s.Turns < 1 {
		return nil, fmt.Errorf("a team needs at least one agent and one turn, not %d and %d", s.Agents, s.Turns)
	}
	if len(s.Roles) != 0 && len(s.Roles) != s.Agents {
		return nil, fmt.Errorf("%d roles for %d agents: give one text per agent", len(s.Roles), s.Agents)
	}
	if s.Feedback == nil {
		s.Feedback = func(float64) string { return "" }
	}
	c, err := s.Prompts.compile()
	if err != nil {
		return nil, err
	}
	return &dialogue{s, c}, nil
}

func (d *dialogue) Agents() int { return d.Settings.Agents }
func (d *dialogue) Turns() int  { return d.Settings.Turns }

// Next implements [Protocol].
func (d *dialogue) Next(p task.Problem, h History) ([]Ask, error) {
	turn := h.turns()
	if turn >= d.Settings.Turns {
		return nil, nil
	}
	asks := make([]Ask, d.Settings.Agents)
	for agent := range asks {
		messages, err := d.messages(p, h, turn, agent)
		if err != nil {
			return nil, fmt.Errorf("prompt of agent %d, turn %d, problem %s: %w", agent+1, turn+1, p.ID, err)
		}
		asks[agent] = Ask{Turn: turn, Agent: agent, Messages: messages}
	}
	return asks, nil
}

// messages builds the chat of one agent up to the user message of turn: the answers and later prompts stack up turn by
// turn (maporl.md §1.2).
func (d *dialogue) messages(p task.Problem, h History, turn, agent int) ([]Message, error) {
	base := promptData{Question: p.Question, Fields: p.Fields, Agent: agent + 1, ShowScores: d.ShowScores}
	if len(d.Roles) > 0 {
		base.Role = d.Roles[agent]
	}
	var out []Message
	add := func(role Role, data promptData, t *textTemplate) error {
		text, err := t.render(data)
		if err == nil && text != "" {
			out = append(out, Message{role, text})
		}
		return err
	}
	if err := add(System, base, d.prompts.system); err != nil {
		return nil, err
	}
	head := Begin(append(out, d.Prompts.chat()...), p)
	out = nil
	base.Turn = 1
	if err := add(User, base, d.prompts.first); err != nil {
		return nil, err
	}
	for t := 1; t <= turn; t++ {
		own, ok := h.of(t-1, agent)
		if !ok {
			return nil, fmt.Errorf("history lacks the agent's answer of turn %d", t)
		}
		out = append(out, Message{Assistant, d.read(own)})
		data := base
		data.Turn = t + 1
		data.Own, data.Report = d.shown(own, 0), own.Report
		if d.SeeOthers {
			data.Others = d.others(h, t-1, agent)
		}
		if err := add(User, data, d.prompts.later); err != nil {
			return nil, err
		}
	}
	return append(head, d.Memory.Recall(out)...), nil
}

// others lists the other agents' answers of a turn in agent order, numbered 1..A-1 leaving out the reader.
func (d *dialogue) others(h History, turn, reader int) []shownAnswer {
	var out []shownAnswer
	for agent := range d.Settings.Agents {
		if a, ok := h.of(turn, agent); ok && agent != reader {
			out = append(out, d.shown(a, len(out)+1))
		}
	}
	return out
}

// read is the text of an answer as prompts show it.
func (d *dialogue) read(a Answer) string {
	if d.Boxed {
		return string(a.Shown())
	}
	return a.Text
}

// Boxes implements [Boxing].
func (d *dialogue) Boxes() bool { return d.Boxed }

func (d *dialogue) shown(a Answer, number int) shownAnswer {
	s := shownAnswer{Number: number, Text: strings.TrimSpace(d.read(a))}
	if d.ShowScores {
		s.Score = fmt.Sprintf("%.3f", a.Score)
		s.Feedback = d.Feedback(a.Score)
	}
	return s
}

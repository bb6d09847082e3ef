package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/engine"
	"parley/serve/chatsession"
	"parley/task/answer"
	"parley/team"
)

// A Team answers a question by working on it as it was trained to.
type Team struct {
	team chatsession.Team
}

// NewTeam makes a team one that is served. It must not be used otherwise from then on.
func NewTeam(t chatsession.Team) *Team {
	t.Together = true
	return &Team{t}
}

// Answer implements [Answerer]. What the agents say in their turns is the reasoning. The answer is what the team's protocol says it is;
// of a protocol that says nothing, it is the vote of the last turn, in the words of the first agent who voted so; where nothing can be
// voted on, it is what was said last.
func (t *Team) Answer(ctx context.Context, q Question, l Listener) (Answer, error) {
	one := t.team // a copy: it counts its questions
	one.Change = q.With
	w := &work{team: &one, usage: map[int]*AgentUsage{}}
	err := one.Ask(ctx, Transcript(q.Messages), chatsession.Listener{
		Begin: func(turn, agent int) error { return w.begin(turn, agent, l) },
		Say:   func(text string) error { return w.reason(text, l) },
		End:   w.end,
		Answer: func(texts []string) error {
			w.answer = texts
			return nil
		},
	})
	if err != nil {
		return Answer{}, err
	}
	a := w.result()
	return a, l.Say(a.Text)
}

// A work is a question while a team works on it.
type work struct {
	team    *chatsession.Team
	said    strings.Builder
	turn    int
	agent   int
	spoken  []spoken // of all turns, in their order
	usage   map[int]*AgentUsage
	order   []int // agents in the order in which they first spoke
	answer  []string
	started bool
	// undecided says that no vote came about.
	undecided bool
}

// spoken is what one agent said in one turn.
type spoken struct {
	turn  int
	reply chatsession.Reply
}

func (w *work) begin(turn, agent int, l Listener) error {
	w.turn, w.agent = turn, agent
	if l.Turn != nil {
		if err := l.Turn(w.team.Called(agent), turn+1); err != nil {
			return err
		}
	}
	head := fmt.Sprintf("[%s, turn %d]\n", w.team.Called(agent), turn+1)
	if w.started {
		head = "\n\n" + head
	}
	w.started = true
	return w.reason(head, l)
}

func (w *work) reason(text string, l Listener) error {
	w.said.WriteString(text)
	return l.Reason(text)
}

func (w *work) end(reply chatsession.Reply) error {
	w.spoken = append(w.spoken, spoken{w.turn, reply})
	u := w.usage[w.agent]
	if u == nil {
		u = &AgentUsage{Name: w.team.Called(w.agent)}
		w.usage[w.agent] = u
		w.order = append(w.order, w.agent)
	}
	u.Prompt += reply.Prompt
	u.Drawn += reply.Tokens
	return nil
}

// result is the answer that the work ends with.
func (w *work) result() Answer {
	a := Answer{Reasoning: w.said.String()}
	for _, agent := range w.order {
		a.Usage.Agents = append(a.Usage.Agents, *w.usage[agent])
		a.Usage.Drawn += w.usage[agent].Drawn
	}
	if len(w.spoken) > 0 {
		a.Usage.Prompt = w.spoken[0].reply.Prompt
	}
	texts := w.answer
	if texts == nil {
		texts = w.vote()
	}
	a.Text = strings.TrimSpace(strings.Join(texts, "\n\n"))
	in := 0
	for _, text := range texts {
		for i := len(w.spoken) - 1; i >= 0; i-- { // the last who said so
			if s := w.spoken[i]; s.reply.Text == text {
				in += s.reply.Tokens
				a.Cut = a.Cut || s.reply.Stop == engine.StopLength
				break
			}
		}
	}
	for _, s := range w.spoken { // an answer that was cut may have been the vote that is missing
		a.Cut = a.Cut || w.undecided && s.reply.Stop == engine.StopLength
	}
	a.Usage.Reasoning = a.Usage.Drawn - in
	return a
}

// vote is what the last turn answers.
func (w *work) vote() []string {
	var last []chatsession.Reply
	for _, s := range w.spoken {
		if s.turn == w.spoken[len(w.spoken)-1].turn {
			last = append(last, s.reply)
		}
	}
	if len(last) == 0 {
		return nil
	}
	if w.team.Final != nil {
		texts := make([]string, len(last))
		for i, r := range last {
			texts[i] = r.Text
		}
		if i, decided := Vote(texts, w.team.Final); decided {
			return texts[i : i+1]
		}
		w.undecided = true
	}
	return []string{last[len(last)-1].Text}
}

// Vote is which of several texts wins, by their final answers: the first of those who say what most say. It is not decided where none can be read.
func Vote(texts []string, final func(text string) (final string, ok bool)) (winner int, decided bool) {
	votes := make([]answer.Answer, len(texts))
	for i, text := range texts {
		votes[i].Canonical, votes[i].OK = final(text)
	}
	ballot := answer.Plurality(votes)
	return slices.Index(votes, ballot.Winner), ballot.Winner.OK
}

// Transcript is a conversation as one question: a team works on a question, and remembers none. A single message of the user is the question
// itself, below what the system says. Of a longer conversation every message has its speaker's name before it.
func Transcript(messages []team.Message) string {
	var system, rest []team.Message
	for _, m := range messages {
		if m.Role == team.System {
			system = append(system, m)
		} else {
			rest = append(rest, m)
		}
	}
	var parts []string
	for _, m := range system {
		parts = append(parts, m.Content)
	}
	for _, m := range rest {
		text := m.Content
		if len(rest) > 1 {
			text = title(m.Role) + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n\n")
}

// title is what a transcript calls a role.
func title(r team.Role) string {
	if r == team.Assistant {
		return "Assistant"
	}
	return "User"
}

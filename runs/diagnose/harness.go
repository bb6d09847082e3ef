package diagnose

import (
	"maps"
	"slices"

	"parley/rl/rollout"
	"parley/rl/rollout/harness"
	"parley/runs/store"
	"parley/task"
	"parley/team"
)

// The kinds of findings about teams that work in a program of the user's, and what each is about.
const (
	UnaskedAgent     Kind = "unasked_agent"     // the program did not ask an agent
	RewrittenPrompts Kind = "rewritten_prompts" // chats that go on begin with other tokens than before
	CallLimit        Kind = "call_limit"        // episodes use up their calls
	UnreadAnswers    Kind = "unread_answers"    // the program's answers have no final answer that can be read
	IgnoredAnswers   Kind = "ignored_answers"   // the program's answer does not depend on what agents say
	OverlappingCalls Kind = "overlapping_calls" // returns depend on the order of calls that overlap
)

// Bounds of the rules about programs.
const (
	playedWindow  = 20   // updates that are remembered
	extendedShare = 0.5  // of the calls that go on with a chat
	limitedShare  = 0.1  // of an update's episodes
	unreadShare   = 0.5  // of the answers of an update
	alikeUpdates  = 5    // in which the program's answers are looked at
	alikeShare    = 0.95 // of the problems of these updates
)

// Played is what a program did in an update.
type Played struct {
	Calls      map[string]float64 `json:"calls"` // mean an episode, by agent
	Grown      int                `json:"grown"` // calls whose messages go on with those of an earlier call of the agent
	Extended   int                `json:"extended"`
	Episodes   int                `json:"episodes"`
	Limited    int                `json:"limited"`
	Problems   int                `json:"problems"`
	Alike      int                `json:"alike"`
	Overlapped int                `json:"overlapped"`
	Answers    int                `json:"answers,omitempty"` // of the program, where the reward is about what they end with
	Unread     int                `json:"unread,omitempty"`  // of these, without a final answer that can be read
}

// Play takes in what the program of a team did in an update, and returns what fires for the first time. m is nil where the team works in none.
func (w *Watch) Play(update int, episodes []*rollout.Episode, m *harness.Metrics) []store.Diagnostic {
	if m == nil {
		return nil
	}
	p := Played{Calls: m.Calls, Episodes: m.Episodes, Limited: m.Limited, Problems: len(episodes), Alike: m.Alike, Overlapped: m.Timing.Overlapped}
	for _, e := range episodes {
		p.chats(e)
		p.answers(e, w.Reads)
	}
	w.Played = append(w.Played, p)
	w.Played = w.Played[max(0, len(w.Played)-playedWindow):]
	return w.note(update, w.played())
}

// chats counts the calls of an episode that go on with a chat, and of these those whose prompts do too, token by token.
func (p *Played) chats(e *rollout.Episode) {
	for i, n := range e.Nodes {
		grows, extends := false, false
		for _, b := range e.Nodes[:i] {
			a, before := &n.Agents[0], &b.Agents[0]
			if b.Sample != n.Sample || a.Agent != before.Agent || len(a.Prompt) == 0 || !continues(a.Messages, before.Messages) {
				continue
			}
			grows = true
			known := slices.Concat(before.Prompt, before.Completions[0].Tokens)
			extends = extends || len(known) <= len(a.Prompt) && slices.Equal(a.Prompt[:len(known)], known)
		}
		if grows {
			p.Grown++
		}
		if extends {
			p.Extended++
		}
	}
}

// answers counts what the program answered. reads is nil where the reward is not about final answers.
func (p *Played) answers(e *rollout.Episode, reads func(p task.Problem, text string) bool) {
	for _, n := range e.Nodes {
		if reads == nil || n.Failed != "" {
			continue
		}
		for _, text := range n.Answers {
			if p.Answers++; !reads(e.Problem, text) {
				p.Unread++
			}
		}
	}
}

// continues says that a chat is another with more behind it.
func continues(chat, before []team.Message) bool {
	return len(chat) > len(before) && slices.EqualFunc(chat[:len(before)], before, func(a, b team.Message) bool { return a.Role == b.Role && a.Content == b.Content })
}

// played applies the rules about programs; none where the team works in none.
func (w *Watch) played() []look {
	if len(w.Played) == 0 {
		return nil
	}
	last := w.Played[len(w.Played)-1]
	unasked, rewritten, limit := Finding{Kind: UnaskedAgent}, Finding{Kind: RewrittenPrompts}, Finding{Kind: CallLimit}
	for _, name := range slices.Sorted(maps.Keys(last.Calls)) {
		unasked.check(Check{Rule: "unasked", Agent: w.number(name), Value: last.Calls[name], Sense: AtMost}, nil)
	}
	grown, extended := 0, 0
	for _, p := range w.Played {
		grown, extended = grown+p.Grown, extended+p.Extended
	}
	if grown > 0 {
		rewritten.checkIf(len(w.Played) >= playedWindow, Check{Rule: "extends", Value: part(extended, grown), Sense: Below, Threshold: extendedShare}, nil)
	}
	limit.check(Check{Rule: "limited", Value: part(last.Limited, last.Episodes), Sense: Above, Threshold: limitedShare}, nil)
	unread, ignored, overlapping := Finding{Kind: UnreadAnswers}, Finding{Kind: IgnoredAnswers}, Finding{Kind: OverlappingCalls}
	if last.Answers > 0 {
		unread.check(Check{Rule: "unread", Value: part(last.Unread, last.Answers), Sense: Above, Threshold: unreadShare}, nil)
	}
	problems, alike := 0, 0
	for _, p := range w.Played[max(0, len(w.Played)-alikeUpdates):] {
		problems, alike = problems+p.Problems, alike+p.Alike
	}
	ignored.checkIf(len(w.Played) >= alikeUpdates && problems > 0, Check{Rule: "alike", Value: part(alike, problems), Sense: AtLeast, Threshold: alikeShare}, nil)
	overlapping.checkIf(w.Ordered, Check{Rule: "overlapping", Value: float64(last.Overlapped), Sense: Above}, nil)
	return []look{{finding: unasked}, {finding: rewritten}, {finding: limit}, {finding: unread}, {finding: ignored}, {finding: overlapping}}
}

// playedRemedies say what to try.
var playedRemedies = map[Kind]string{
	UnaskedAgent:     "look at the name by which the program asks (team.harness.models), or leave the agent out of team.agents",
	RewrittenPrompts: "send earlier turns as they came, or see whether the base's template rewrites them: it is slower, not wrong",
	CallLimit:        "raise team.harness.calls, or end the program's loops earlier",
	UnreadAnswers:    "see how the program's answers end (parley run episode): let it end as task.final wants, or set task.final to one that reads them",
	IgnoredAnswers:   "see what the program makes of the agents' answers: it ends with one answer whatever they say, so there is nothing to learn",
	OverlappingCalls: "set credit.returns to episode, group.discount to 1 and another credit.baseline than agent_turn, or ask one after the other: the order of calls that overlap is not the program's",
}

package workflow

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"parley/team"
)

// Answerers are the agents whose texts are the team's answer, in the order in which they are rewarded; an empty name is a text of anybody. None:
// only the program knows how many texts it answers with.
func (w *Workflow) Answerers() []string {
	switch a := w.spec.Answer; {
	case w.program != nil && w.program.answer != nil:
		return nil
	case (a.Kind == Last || a.Kind == Joint) && len(a.Names) > 0:
		return slices.Clone(a.Names)
	}
	return []string{""}
}

// teamAnswer is what the team answers at the end of a walk.
func (k *walk) teamAnswer() ([]string, error) {
	a := k.spec.Answer
	switch {
	case k.program != nil && k.program.answer != nil:
		return k.program.teamAnswer(k)
	case a.Kind == Computed:
		return k.computedAnswer()
	case a.Kind == Vote:
		return k.voted(a.Names)
	case len(a.Names) == 0:
		for i := len(k.said) - 1; i >= 0; i-- {
			if k.said[i].Agent != team.World {
				return []string{k.said[i].Text}, nil
			}
		}
		return nil, errors.New("nobody has said anything")
	}
	return k.lastOf(a.Names)
}

// lastOf are the last texts of agents, in the order of their names.
func (k *walk) lastOf(names []string) ([]string, error) {
	out := make([]string, len(names))
	for i, name := range names {
		last, ok := k.last(name)
		if !ok {
			return nil, fmt.Errorf("%s, whose text is the team's answer, has not spoken", name)
		}
		out[i] = last.Text
	}
	return out, nil
}

// last is what an agent said last.
func (k *walk) last(name string) (team.Answer, bool) {
	for _, a := range slices.Backward(k.said) {
		if a.Agent == k.index[name] {
			return a, true
		}
	}
	return team.Answer{}, false
}

// voted is a text with the final answer that most of the agents gave last: that of the first of them who gave it. Of several such answers
// the one that was given first in the order of the names wins, and an answer that cannot be read wins against nothing alone.
func (k *walk) voted(names []string) ([]string, error) {
	if len(names) == 0 {
		names = k.agentNames()
	}
	counts, best := map[string]int{}, -1
	var texts, finals []string
	for _, name := range names {
		last, ok := k.last(name)
		if !ok {
			continue
		}
		texts, finals = append(texts, last.Text), append(finals, last.Final)
		if last.Final != "" {
			counts[last.Final]++
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("none of those who vote has spoken")
	}
	for i, final := range finals {
		if final != "" && (best < 0 || counts[final] > counts[finals[best]]) {
			best = i
		}
	}
	return texts[max(best, 0):][:1], nil
}

// computedAnswer is the text that an expression gives.
func (k *walk) computedAnswer() ([]string, error) {
	v, err := k.answer.eval(k.scene())
	if err != nil {
		return nil, err
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return nil, fmt.Errorf("%s: it gives %s, expected a text", k.answer.place, v.Type())
	}
	return []string{text}, nil
}

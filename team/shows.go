package team

import (
	"fmt"
	"slices"
	"strings"

	"parley/task"
)

// Shows says which answers of a history the prompts of the asks behind it show: [ask][answer]. The protocol is asked again after the same history, in
// which every answer has a mark of its own at its ends. So an answer that is cut, or put into other words by its final one, is known to be shown, and
// one that says the same as another is known not to be. Where marks change who is asked what, as a condition on what was said may, otherwise says it of that
// answer, and, where the protocol does not give these asks at all, of all of them: it has drawn, or an environment has spoken that no record has.
func Shows(p Protocol, about task.Problem, h History, asks []Ask, otherwise func(ask, answer int) bool) [][]bool {
	out := make([][]bool, len(asks))
	for i := range asks {
		out[i] = make([]bool, len(h))
	}
	fill := func(answers []int, from []Ask, known bool) {
		for i := range asks {
			for _, k := range answers {
				out[i][k] = known && from[i].has(mark(k)) || !known && otherwise(i, k)
			}
		}
	}
	all := make([]int, len(h))
	for k := range h {
		all[k] = k
	}
	same := func(x, y Ask) bool {
		return x.Agent == y.Agent && slices.EqualFunc(x.Messages, y.Messages, Message.Equal)
	}
	plain, ok := again(p, about, h)
	if !ok || !slices.EqualFunc(plain, asks, same) {
		fill(all, nil, false)
		return out
	}
	if m, ok := again(p, about, marked(h, all...)); ok && sameAsked(m, plain) {
		fill(all, m, true)
		return out
	}
	for k := range h {
		m, ok := again(p, about, marked(h, k))
		fill([]int{k}, m, ok && sameAsked(m, plain))
	}
	return out
}

// again are the asks behind a history.
func again(p Protocol, about task.Problem, h History) ([]Ask, bool) {
	if p == nil {
		return nil, false
	}
	m, err := MoveOf(p, about, h)
	return m.Asks, err == nil && !m.Acts
}

func mark(answer int) string { return fmt.Sprintf("⟦%d⟧", answer) }

// marked is a history in which some answers have their marks.
func marked(h History, answers ...int) History {
	h = slices.Clone(h)
	for _, k := range answers {
		h[k].Text, h[k].Prompt = mark(k)+h[k].Text+mark(k), ""
		if h[k].Final != "" {
			h[k].Final += mark(k)
		}
	}
	return h
}

func (a Ask) has(text string) bool {
	return slices.ContainsFunc(a.Messages, func(m Message) bool { return strings.Contains(m.Content, text) })
}

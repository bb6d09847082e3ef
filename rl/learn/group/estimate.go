package group

import "parley/rl/learn"

// steps lets the samples of every tree, or of every episode, go through the buffers, depth-first (MAGRPO §2.4). A minibatch is one step. A full tree has
// Branching^t nodes in turn t, counted from 0.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[learn.Group](o.Settings)
	var problem []learn.Unit
	var visit func(turn int)
	visit = func(turn int) {
		problem = append(problem, o.Units(turn)...)
		for range o.Branching {
			if turn+1 < o.Turns {
				visit(turn + 1)
			}
		}
	}
	for range max(o.Episodes, 1) {
		visit(0)
	}
	return o.BufferSteps(s, s.BufferAcrossUpdates, problem, func([]learn.Unit) int { return 1 })
}

// passes: an answer is trained on once, and scored under the base where there is a penalty for the distance from it.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	p := learn.Passes{Trained: a.Prompt + a.Answer}
	if a.Penalized || learn.SettingsIn[learn.Group](settings).KL > 0 {
		p.Scored = a.Prompt + a.Answer
	}
	return p
}

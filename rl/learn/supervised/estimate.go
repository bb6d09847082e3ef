package supervised

import "parley/rl/learn"

// steps counts one of every policy for each minibatch of an update, or of the last one alone.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	updates := o.Updates
	if s.Pool == "run" {
		updates = 1
	}
	return updates * o.Trained(false) * s.Epochs * s.Minibatches
}

// passes: the share of the answers that is kept is trained on in every epoch.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s := learn.SettingsIn[Settings](settings)
	return learn.Passes{Trained: (a.Prompt + a.Answer) * s.Keep * float64(s.Epochs)}
}

// kept counts the best debates of all updates, which the last one learns from.
func kept(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	if s.Pool != "run" {
		return 0
	}
	return max(1, int(s.Keep*float64(o.Problems*o.Updates)))
}

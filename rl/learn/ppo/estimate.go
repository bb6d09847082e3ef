package ppo

import "parley/rl/learn"

// steps counts one of every policy and one of its critic for each minibatch. With an alternating schedule one turn's policies learn in an
// update.
func steps(o learn.Outline) int {
	s := learn.SettingsIn[Settings](o.Settings)
	policies := o.Trained(true)
	if s.Schedule == "alternating" {
		policies /= o.Turns - o.Sharing.FirstTrainedTurn + 1
	}
	return o.Updates * policies * s.Epochs * s.Minibatches
}

// passes: an answer is scored under the base and by the critic, by the policy once more for an exact divergence, and trained on by policy and
// critic in every epoch.
func passes(settings []any, a learn.AnswerTokens) learn.Passes {
	s := learn.SettingsIn[Settings](settings)
	whole, critic := a.Prompt+a.Answer, a.Question+a.Answer
	if s.ValueInput == "history" {
		critic = whole
	}
	p := learn.Passes{Scored: whole + critic, Trained: float64(s.Epochs) * (whole + critic)}
	if s.KLForm == "ref_policy_exact" {
		p.Scored += whole
		if s.Loss == "grpo" {
			p.Scored += whole
		}
	}
	return p
}

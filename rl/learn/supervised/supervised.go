// Package supervised is supervised learning from the untrained team's best debates, the baseline of MAPoRL's Experiment 5 (§4.7).
//
//	pool.go        which debates are learned from
//	supervised.go  the loss, and the steps on it; what a run costs
//
// The untrained team debates the problems. A pool has N debates. Debates whose last vote is right and whose answers have no flag may be
// kept. Of these the ⌈share·N⌉ with the highest mean score of their last answers are kept; between equals, the earlier one. The pool is
// the debates of one update, or of the whole run. Every policy then learns the answers that stand in its place: the loss is the mean of
// −log π over the tokens of a minibatch, at temperature 1.
package supervised

import (
	"context"

	"parley/rl/learn"
)

// SFT is the algorithm's entry in the register.
func SFT() learn.Algorithm {
	return learn.Algorithm{
		Name: "sft", About: "supervised learning of the untrained team's best debates (MAPoRL, Experiment 5)", Kind: learn.Debates,
		Sections: []learn.Section{section()}, Episodes: learn.FromBase, TeamAlone: "it imitates whole debates, the best ones of the team", New: New, Steps: steps, Passes: passes, Kept: kept,
	}
}

// A learner keeps nothing between updates: debates of earlier ones are read back from the run.
type learner struct {
	learn.Common
	settings Settings
}

// New returns a learner of SFT. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s}, nil
}

// Update implements [learn.Learner]: the mean negative log-likelihood of the kept answers' tokens at temperature 1, in fresh random minibatches. What an
// answer earns, its score or the penalty where it is flagged, is for reports; what is learned goes by whole debates.
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	episodes, err := s.Play(ctx)
	if err != nil {
		return err
	}
	l.CreditScores(episodes, s.Stats)
	if err := s.Credited(); err != nil {
		return err
	}
	debates, err := l.choose(s.Update, episodes)
	if err != nil {
		return err
	}
	s.Stats.Kept = len(debates)
	update := s.Update
	if l.settings.Pool == "run" {
		update = 0 // the only one that learns, at the learning rate that a run begins with
	}
	return l.EachMinibatch(l.ToImitate(debates), l.settings.Epochs, l.settings.Minibatches, update, func(to learn.PolicyRef, batch []*learn.Answer) error {
		return l.Imitate(ctx, to, batch, update, s.Stats)
	})
}

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

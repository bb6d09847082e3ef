// Package malt makes specialists of the agents of a chain by the outcomes of a tree of alternatives (MALT, arXiv 2412.01928).
//
// The untrained team answers problems: every agent draws group.size alternatives to each message before, so that n generations have n
// verifications each, and these n refinements. Leaves are right or wrong. A message is worth the share of right leaves below it, and is positive where
// this is more than half ([parley/rl/credit]). Two things are learned from, role by role:
//
//	supervised   all positive messages of the role:  L = −mean over tokens of log π
//	preferences  a positive and another message under one parent:
//	             L = −log σ( β·[log π(y⁺)/π_ref(y⁺) − log π(y⁻)/π_ref(y⁻)] )
//
// π_ref is what supervised learning made of the role. The first agent of the chain has no preferences by default: with an instruct model they
// made it worse in the paper. Roles do not share a step: with policies of their own, nothing of one changes while another learns.
//
//	tree.go     messages and pairs of an episode
//	prefer.go   preferences; supervised learning
package malt

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// MALT is the algorithm's entry in the register.
func MALT() learn.Algorithm {
	return learn.Algorithm{
		Name: "malt", About: "specialists of a chain by trees of alternatives: supervised learning, then preferences (MALT)", Kind: learn.GroupRelative,
		Sections: sections(), Unread: unread(), Episodes: learn.FromBase, TeamAlone: "a message is as good as the answers that the team gives after it",
		New: New, Steps: steps, Passes: passes, Kept: kept,
	}
}

// A learner keeps nothing between updates: trees of earlier ones are read back from the run.
type learner struct {
	learn.Common
	settings Settings
}

// New returns a learner of MALT. It needs [Settings].
func New(c learn.Config) (learn.Learner, error) {
	s, err := learn.SettingsOf[Settings](c)
	if err != nil {
		return nil, err
	}
	return &learner{learn.Common{Config: c}, s}, nil
}

// prefers says whether messages of a turn, from 0, are learned from in pairs.
func (s Settings) prefers(turn int) bool {
	return s.Preferences == "all" || s.Preferences == "later" && turn > 0
}

// Update implements [learn.Learner].
func (l *learner) Update(ctx context.Context, s *learn.Session) error {
	return s.Run(ctx, l.assign, l.train)
}

// assign says what was earned: a message's reward is the share of right leaves below it, its advantage what this is above one half.
func (l *learner) assign(_ context.Context, episodes []*rollout.Episode, stats *learn.Stats) error {
	for _, e := range episodes {
		t, err := treeOf(e, l.settings.Right)
		if err != nil {
			return fmt.Errorf("credit: %w", err)
		}
		for _, v := range credit.JudgeSiblings(t.roots) {
			if a := t.answer(v.Path); v.Scored() {
				a.Completion.Reward, a.Completion.Advantage = v.Value(), v.Value()-0.5
				stats.AddReturn(a.AgentTurn.Agent, v.Value())
			}
		}
	}
	return nil
}

// train takes the steps: policy by policy, supervised learning and then preferences.
func (l *learner) train(ctx context.Context, update int, episodes []*rollout.Episode, s *learn.Stats) error {
	if l.settings.Pool == "run" && update+1 < l.Updates {
		return nil
	}
	trees, err := l.trees(update, episodes)
	if err != nil {
		return err
	}
	if l.settings.Pool == "run" {
		update = 0 // the only one that learns, at the learning rate that a run begins with
	}
	rows, pairs := l.examples(trees)
	for _, t := range l.Sharing.Trained(l.Turns, false) {
		to := learn.PolicyRef{Engine: l.EngineOf(t.Agent), Policy: t.Policy}
		s.Kept, s.Pairs = s.Kept+len(rows[t.Policy]), s.Pairs+len(pairs[t.Policy])
		if err := l.fit(ctx, to, rows[t.Policy], update, s); err != nil {
			return fmt.Errorf("supervised learning of %s: %w", t.Policy, err)
		}
		if err := l.prefer(ctx, to, pairs[t.Policy], update, s); err != nil {
			return fmt.Errorf("preferences of %s: %w", t.Policy, err)
		}
	}
	return nil
}

// trees are those of the update, or of the run so far.
func (l *learner) trees(update int, episodes []*rollout.Episode) ([]*tree, error) {
	var out []*tree
	add := func(episodes []*rollout.Episode) error {
		for _, e := range episodes {
			t, err := treeOf(e, l.settings.Right)
			if err != nil {
				return err
			}
			out = append(out, t)
		}
		return nil
	}
	if l.settings.Pool == "run" {
		for earlier := range update {
			past, err := l.Recall(earlier + 1)
			if err != nil {
				return nil, fmt.Errorf("read the trees of update %d to learn from: %w", earlier+1, err)
			}
			if err := add(past); err != nil {
				return nil, err
			}
		}
	}
	return out, add(episodes)
}

// examples are the messages and pairs that trained policies learn from, in the order of problems and trees. The base wrote them; the
// policy that would speak at the same place learns them.
func (l *learner) examples(trees []*tree) (rows map[engine.Policy][]*learn.Answer, pairs map[engine.Policy][]pair) {
	rows, pairs = map[engine.Policy][]*learn.Answer{}, map[engine.Policy][]pair{}
	for _, t := range trees {
		for _, a := range t.positive() {
			if p := l.pupil(a); p != engine.Base && l.settings.Epochs > 0 {
				rows[p] = append(rows[p], a)
			}
		}
		for _, x := range t.pairs() {
			if p := l.pupil(x.chosen); p != engine.Base && p == l.pupil(x.rejected) && l.settings.prefers(x.chosen.Turn) {
				pairs[p] = append(pairs[p], x)
			}
		}
	}
	return rows, pairs
}

// pupil is the policy that learns from a message; the base: none does.
func (l *learner) pupil(a *learn.Answer) engine.Policy {
	if a.AgentTurn.Speaker != "" || !learn.Learnable(a.Completion) {
		return engine.Base
	}
	return l.Sharing.Policy(a.Turn, a.AgentTurn.Agent)
}

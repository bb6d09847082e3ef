package sweet

import (
	"context"
	"slices"

	"parley/internal/seed"
	"parley/rl/eval"
	"parley/rl/learn"
)

// compared are the dialogues that are compared, the better one first. Rewards that differ by rounding are equal ([parley/internal/tie]); of equals the
// first counts. A dialogue in which the policy said nothing that can be learned from is in no pair.
func (l *learner) compared(talks []talk) (out [][2]talk) {
	rewards, at := byProblem(talks)
	for _, c := range eval.Best(rewards, l.settings.Pairs == "solved") {
		pair := [2]talk{talks[at[c.Task][c.Chosen]], talks[at[c.Task][c.Rejected]]}
		if len(pair[0].messages) > 0 && len(pair[1].messages) > 0 {
			out = append(out, pair)
		}
	}
	return out
}

// learnPolicy takes the policy's steps in the way that the recipe says. Nothing that it reads or learns has a hidden field in it: its texts are the
// messages after the prompts of the run. The critic's say is in which of them is preferred.
func (l *learner) learnPolicy(ctx context.Context, to, critic learn.PolicyRef, r *record, s *learn.Stats) error {
	if l.settings.Method == byImitation {
		return l.imitate(ctx, to, r, s)
	}
	texts := map[*message]*text{}
	known := func(messages []*message) []*text {
		for _, m := range messages {
			if texts[m] == nil {
				texts[m] = &text{Answer: m.Answer}
			}
		}
		return textsOf(texts, messages)
	}
	var pairs []contrast
	if l.settings.Method == byDialogue {
		for _, c := range l.compared(r.talks) {
			pairs = append(pairs, contrast{known(c[0].messages), known(c[1].messages)})
		}
	} else {
		drawn, err := l.ranked(ctx, critic, r.turns, s)
		if err != nil {
			return err
		}
		for _, p := range drawn {
			pairs = append(pairs, contrast{known(p[:1]), known(p[1:])})
		}
	}
	s.Pairs += len(pairs)
	return l.contrast(ctx, to, pairs, course{
		Objective: Objective{Beta: l.settings.Beta, Reduction: Sum, NLL: l.settings.NLL},
		epochs:    l.settings.Epochs, batch: l.settings.Batch, rate: 1,
		tell: func(loss, preferred float64) {
			s.AddPass(loss, 1, 1)
			s.AddPreferred(preferred)
		},
	}, s)
}

// ranked draws pairs of candidates at every turn: one of those that the critic ranks higher, against one of the others. All candidates are scored in one
// go, whatever turn they belong to, and ranked turn by turn. The random stream of a turn is its own: what is drawn there does not depend on how many
// candidates other turns have.
func (l *learner) ranked(ctx context.Context, critic learn.PolicyRef, turns []turn, s *learn.Stats) (out [][]*message, err error) {
	var all []*message
	for _, t := range turns {
		all = append(all, t.candidates...)
	}
	s.Candidates += len(all)
	scores, err := l.advantages(ctx, critic, all)
	if err != nil {
		return nil, err
	}
	for _, t := range turns {
		n := len(t.candidates)
		halves := eval.Halve(scores[:n])
		scores = scores[n:]
		rng := seed.Stream(seed.Derive(uint64(l.Seed), "candidates", t.update, t.episode, t.node))
		for range l.settings.Draws {
			if a, b, ok := halves.Draw(rng.Float64(), rng.Float64()); ok {
				out = append(out, []*message{t.candidates[a], t.candidates[b]})
			}
		}
	}
	return out, nil
}

// imitate takes supervised steps on the messages of the dialogues that are good enough, each once an epoch: L = −mean over the tokens of a batch of log π
// (rejection fine-tuning, RFT). A message that two good dialogues share is one row.
func (l *learner) imitate(ctx context.Context, to learn.PolicyRef, r *record, s *learn.Stats) error {
	rewards, at := byProblem(r.talks)
	var rows []*learn.Answer
	seen := map[*message]bool{}
	for _, row := range eval.Passing(rewards, l.settings.Threshold, l.settings.PerTask) {
		s.Kept++
		for _, m := range r.talks[at[row.Task][row.Trajectory]].messages {
			if !seen[m] {
				seen[m] = true
				rows = append(rows, m.Answer)
			}
		}
	}
	for epoch := range l.settings.Epochs {
		perm := l.Shuffle(to.Policy, 0, epoch).Perm(len(rows))
		for batch := range slices.Chunk(perm, l.settings.Batch) {
			part := make([]*learn.Answer, len(batch))
			for i, at := range batch {
				part[i] = rows[at]
			}
			if err := l.Imitate(ctx, to, part, 0, s); err != nil {
				return err
			}
		}
	}
	return nil
}

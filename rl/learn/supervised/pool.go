package supervised

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/internal/tie"
	"parley/rl/rollout"
	"parley/task/answer"
)

// A pool chooses debates that supervised learning learns from. It holds no more of them than it may come to keep, however many it
// is shown.
type pool struct {
	share   float64 // of the debates shown that is kept
	most    int     // debates that it will be shown at most
	invalid answer.Invalid
	// answered says that debates are worth what the team answers in the end, joint that this is no label: the best are kept, right or not.
	answered, joint bool

	shown int
	best  []*rollout.Episode // highest scores first, of equal ones the one shown first
}

// show adds debates. Those without all scores do not count; those with a flag or without a right last vote are never kept.
func (p *pool) show(episodes []*rollout.Episode) {
	for _, e := range episodes {
		if e.Failed() != "" {
			continue
		}
		p.shown++
		if unflagged(e) && p.right(e) {
			p.best = append(p.best, e)
		}
	}
	p.sort()
	fit := p.first(p.most)
	clear(p.best[len(fit):]) // so that the others are not held
	p.best = fit
}

// right says that a debate ended with the right answer: that of its team where it has one, else the vote of the last speakers.
func (p *pool) right(e *rollout.Episode) bool {
	if p.answered {
		return p.joint || e.Earned() == 1
	}
	return answer.Vote(e.Nodes[len(e.Nodes)-1].Votes(), e.Problem.Right(), p.invalid) == 1
}

// score is what debates are ordered by.
func (p *pool) score(e *rollout.Episode) float64 {
	if p.answered {
		return e.Earned()
	}
	return lastScore(e)
}

// sort puts the highest scores first. Scores lie from 0 to 1; those that differ by rounding are equal, and of equal ones the debate that was
// shown first stays first, so that what is learned from is a function of recipe and seed.
func (p *pool) sort() {
	scores := make([]float64, len(p.best))
	for i, e := range p.best {
		scores[i] = p.score(e)
	}
	of := make(map[*rollout.Episode]float64, len(p.best))
	for i, level := range tie.Levels(scores, 1) {
		of[p.best[i]] = level
	}
	slices.SortStableFunc(p.best, func(a, b *rollout.Episode) int { return cmp.Compare(of[b], of[a]) })
}

// kept returns the share of the debates shown that has the highest scores. Debates without all scores do not count among those shown: the
// share is of what could be compared.
func (p *pool) kept() []*rollout.Episode { return p.first(p.shown) }

// first returns as many of the best debates as are the share of n: at most ⌈share·n⌉, fewer where fewer are right.
func (p *pool) first(n int) []*rollout.Episode {
	return p.best[:min(len(p.best), int(math.Ceil(p.share*float64(n))))]
}

// choose returns what is learned from after an update, whose debates are given: the best of them, or, with a pool of the whole run,
// nothing before the last update and then the best of all. What earlier updates said is read from the run, update by update.
func (l *learner) choose(update int, episodes []*rollout.Episode) ([]*rollout.Episode, error) {
	p := &pool{share: l.settings.Keep, most: len(episodes), invalid: l.Reward.Unreadable, answered: l.Reward.Answered, joint: l.Reward.Joint}
	if l.settings.Pool == "run" {
		if update+1 < l.Updates {
			return nil, nil
		}
		p.most = l.Updates * l.Problems
		for earlier := range update {
			debates, err := l.Recall(earlier + 1)
			if err != nil {
				return nil, fmt.Errorf("read the debates of update %d to choose from: %w", earlier+1, err)
			}
			p.show(debates)
		}
	}
	p.show(episodes)
	return p.kept(), nil
}

// unflagged reports whether no answer of a debate, in any turn, deserves a penalty (MAPoRL §2.1).
func unflagged(e *rollout.Episode) bool {
	for _, n := range e.Nodes {
		for s := range n.Agents {
			if len(n.Agents[s].Completions[0].Flags) > 0 {
				return false
			}
		}
	}
	return true
}

// lastScore is the mean score of an episode's last answers, penalties of unfinished ones taken off, those of who speaks in its last turn.
func lastScore(e *rollout.Episode) float64 {
	agents, sum := e.Nodes[len(e.Nodes)-1].Agents, 0.0
	for i := range agents {
		c := &agents[i].Completions[0]
		sum += c.Score - c.Penalty
	}
	return sum / float64(len(agents))
}

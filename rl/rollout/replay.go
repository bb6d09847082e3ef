package rollout

import (
	"context"

	"parley/engine"
	"parley/internal/seed"
	"parley/task"
)

// Replay goes back to one message of every finished episode (C3, arXiv 2603.06859): the transcript above it stays as it is, the message becomes one of
// so many alternatives, and each of them is continued to the end so many times. The original is the first alternative, and its end the first
// continuation of that. Everything else has a random stream of its own, a hash of the run, the problem, the episode, the message, the alternative and
// the continuation: no continuation depends on how many others there are.
type Replay struct {
	Alternatives, Continuations int
	Turn                        int // from 1, of the message; 0: one is drawn of those that are learned from
}

// A fork is where the finished episodes of a call are gone back to.
type fork struct {
	Replay
	at    map[[2]int]int     // by problem and episode: the number of the message; beyond the end: none
	paths map[[2]int][]*Node // what was played
}

// place is where a frontier's node is in the replay of its episode.
type place struct {
	alternative, continuation int
	changed                   bool // it is no longer what was played
}

// replays plays all problems to their ends, and then goes back to a message of every episode.
func (r *Runner) replays(ctx context.Context, purpose string, update int, problems []task.Problem) ([]*Episode, error) {
	first, second := *r, *r
	first.Settings.Replay, first.Settings.FanOut, second.Settings.Replay = nil, []int{1}, nil
	played, err := first.Run(ctx, purpose, update, problems)
	if err != nil {
		return nil, err
	}
	second.fork = &fork{Replay: *r.Settings.Replay, at: map[[2]int]int{}, paths: map[[2]int][]*Node{}}
	for _, e := range played {
		for sample := range e.Samples() {
			key := [2]int{e.Index, sample}
			for _, n := range e.Nodes {
				if n.Sample == sample {
					second.fork.paths[key] = append(second.fork.paths[key], n)
				}
			}
			second.fork.at[key] = r.message(second.fork.paths[key], seed.Derive(r.Seed, purpose+" fork", update, e.Index, sample))
		}
	}
	return second.Run(ctx, purpose, update, problems)
}

// message is the number of the one of an episode that is gone back to. Nothing is learned from what is no policy's.
func (r *Runner) message(path []*Node, s uint64) int {
	var choice []int
	for i, n := range path {
		learns := n.Agents[0].Learns() && n.Agents[0].Speaker == ""
		if t := r.Settings.Replay.Turn; learns && (t == 0 || n.Turn == t-1) {
			choice = append(choice, i)
		}
	}
	if len(choice) == 0 {
		return len(path)
	}
	return choice[seed.Stream(s).IntN(len(choice))]
}

// samples is how many completions the message of this number gets.
func (k *fork) samples(f frontier) int {
	switch f.depth - k.at[[2]int{f.episode.Index, f.sample}] {
	case 0:
		return k.Alternatives
	case 1:
		return k.Continuations
	}
	return 1
}

// below is where the node that follows joint action via of a frontier's node is.
func (k *fork) below(f frontier, via int) place {
	p := f.place
	switch f.depth - k.at[[2]int{f.episode.Index, f.sample}] {
	case 0:
		p.alternative = via
	case 1:
		p.continuation = via
	}
	p.changed = p.alternative > 0 || p.continuation > 0
	return p
}

// given is what was said in the episode that was played; nil: this is another one.
func (r *Runner) given(f frontier, g int) *Completion {
	if r.fork == nil || f.place.changed || g > 0 {
		return nil
	}
	path := r.fork.paths[[2]int{f.episode.Index, f.sample}]
	if f.depth >= len(path) {
		return nil
	}
	return &path[f.depth].Agents[0].Completions[0]
}

// seed is that of the g-th completion of a frontier's node.
func (k *fork) seed(run uint64, purpose string, f frontier, agent, g int) uint64 {
	at, p := k.at[[2]int{f.episode.Index, f.sample}], k.below(f, g)
	return seed.Derive(run, purpose+" c3", f.episode.Update, f.episode.Index, f.sample, at, p.alternative, p.continuation, f.depth, agent)
}

// A Teaching is what a teacher says about the tokens of a completion: the text is given, and a teacher with a tokenizer of its own has read it.
type Teaching struct {
	Teacher string  `json:"teacher"`
	CE      float64 `json:"ce"`     // mean cross-entropy of the text, a token of the teacher's
	Tokens  int     `json:"tokens"` // of the teacher's
	Chars   int     `json:"chars"`  // of the text
	// Rows are distributions over the next token, one before every token of the completion, in tokens of the completion's policy.
	Rows [][]engine.Target `json:"rows"`
}

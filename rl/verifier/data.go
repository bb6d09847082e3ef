// Package verifier makes and uses MAPoRL's verifier (MAPoRL §3): an adapter with a scalar head over the frozen base that says
// for every prefix of a solution how probable it is that its final answer will be right. The score of an answer is the
// probability after its last token.
//
// It is made in three steps, each of which leaves a folder for the next (folder.go):
//
//	data.go      the base solves questions many times; solutions are labelled, badly formed ones left out (quality.go); every question gets as many right as wrong solutions, or is dropped; augment.go samples what is missing
//	train.go     token-level binary cross-entropy on the questions that validation does not take (split.go)
//
// measure.go says how good a verifier is on the questions it has not seen, score.go uses it. Beside a verifier of one's own
// stand two from outside: package train/score asks a user's program, or a model behind an OpenAI-compatible server. All three give
// the [Scores] of a batch of answers, one score or one error an answer: a failed score is never a number.
//
// The theory is Theorem 1 of the paper: the cross-entropy is least where the value of a prefix is the share of right
// solutions among those that begin with it.
package verifier

import (
	"context"
	"fmt"
	"math/rand/v2"

	"parley/engine"
	"parley/internal/seed"
	"parley/task"
	"parley/task/answer"
	"parley/team"
)

// Sampling says how solutions are drawn: each sample's temperature is drawn uniformly from a range, which makes right and
// wrong solutions of one question more varied.
type Sampling struct {
	Low       float64 `json:"low"`  // least temperature
	High      float64 `json:"high"` // greatest temperature
	TopP      float64 `json:"top_p"`
	MaxTokens int     `json:"max_tokens"`
}

// TrialSampling is that of the trials which look for missing solutions.
func TrialSampling(maxTokens int) Sampling {
	return Sampling{Low: 0.5, High: 1, TopP: 0.9, MaxTokens: maxTokens}
}

// Tally says what became of the solutions that were sampled.
type Tally struct {
	Sampled int           `json:"sampled"`
	Kept    int           `json:"kept"`
	Right   int           `json:"right"` // of those kept
	Wrong   int           `json:"wrong"`
	Dropped map[Fault]int `json:"dropped"`
}

func (t *Tally) add(s Solution, fault Fault) {
	t.Sampled++
	if t.Dropped == nil {
		t.Dropped = map[Fault]int{}
	}
	switch {
	case fault != "":
		t.Dropped[fault]++
		return
	case s.Right:
		t.Right++
	default:
		t.Wrong++
	}
	t.Kept++
}

// A Collector samples solutions of questions and labels them.
type Collector struct {
	Base     *Base
	Sampling Sampling
	Paths    int // solutions a question
	Seed     uint64
	Progress func(done, of int) // in questions; may be nil
}

// atOnce is how many solutions are sampled together. Which ones come together changes nothing.
const atOnce = 512

// Collect samples the solutions of problems, and leaves out those that are badly formed.
func (c *Collector) Collect(ctx context.Context, problems []task.Problem) ([]Solution, Tally, error) {
	var all []Solution
	var tally Tally
	together := max(1, atOnce/max(c.Paths, 1))
	for first := 0; first < len(problems); first += together {
		last := min(first+together, len(problems))
		var wanted []request
		for q := first; q < last; q++ {
			ask, err := c.Base.Ask(problems[q])
			if err != nil {
				return nil, tally, fmt.Errorf("problem %s: %w", problems[q].ID, err)
			}
			for k := range c.Paths {
				wanted = append(wanted, request{problems[q], ask, Sampled, seed.Derive(c.Seed, "verifier data", q, k)})
			}
		}
		list, err := c.Base.sample(ctx, c.Sampling, wanted)
		if err != nil {
			return nil, tally, err
		}
		for _, l := range list {
			if tally.add(l.Solution, l.fault); l.fault == "" {
				all = append(all, l.Solution)
			}
		}
		if c.Progress != nil {
			c.Progress(last, len(problems))
		}
	}
	return all, tally, nil
}

// A request asks for one solution.
type request struct {
	problem task.Problem
	ask     []team.Message
	source  Source
	seed    uint64
}

// A labelled solution with what is wrong with its form; empty: nothing.
type labelled struct {
	Solution
	fault Fault
}

// Shown is a text with its final answer as verifiers read it.
func (b *Base) Shown(text, final string) string {
	if b.Boxed {
		return string(answer.Show(text, final))
	}
	return text
}

// sample answers requests and labels what comes out, in their order.
func (b *Base) sample(ctx context.Context, s Sampling, wanted []request) ([]labelled, error) {
	requests, watches := make([]engine.SampleRequest, len(wanted)), make([]Watcher, len(wanted))
	for i, w := range wanted {
		prompt, err := b.Codec.Prompt(w.ask)
		if err != nil {
			return nil, fmt.Errorf("problem %s: %w", w.problem.ID, err)
		}
		if len(prompt) >= b.Context {
			return nil, fmt.Errorf("problem %s: its prompt has %d tokens and the base's context %d", w.problem.ID, len(prompt), b.Context)
		}
		rng := seed.Stream(seed.Derive(w.seed, "temperature"))
		requests[i] = engine.SampleRequest{
			Prompt: prompt, MaxTokens: s.MaxTokens, Stop: b.Codec.Stop(), Never: b.Never, Seed: w.seed,
			Sampling: engine.Sampling{Temperature: s.Low + (s.High-s.Low)*rng.Float64(), TopP: s.TopP},
		}
		if b.Watch != nil {
			watches[i] = b.Watch(0)
			requests[i].Watch = watches[i]
		}
	}
	samples, err := b.Engine.Sample(ctx, requests)
	if err != nil {
		return nil, fmt.Errorf("sample solutions: %w", err)
	}
	out := make([]labelled, len(samples))
	for i, sample := range samples {
		text := b.Codec.Text(sample.Tokens)
		if sample.Stop == engine.StopText {
			text, _ = watches[i].Text()
		}
		final, parsed := b.Answer(wanted[i].problem, text)
		out[i].Solution = Solution{Problem: wanted[i].problem, Text: text, Shown: b.Shown(text, final), Right: parsed && final == wanted[i].problem.Right(), Source: wanted[i].source}
		if out[i].fault = FaultOf(text, final, parsed); sample.Stop == engine.StopLength {
			out[i].fault = Unfinished
		}
	}
	return out, nil
}

// missing returns how many right and how many wrong solutions a question lacks of each.
func missing(solutions []Solution, each int) (right, wrong int) {
	r, w := Count(solutions)
	return max(0, each-r), max(0, each-w)
}

// Balance draws so many right and as many wrong solutions of every question at random (MAPoRL §3). Questions that have fewer of
// either are dropped whole; dropped counts them.
func Balance(groups []Group, each int, root uint64) (balanced []Solution, dropped int) {
	for i, g := range groups {
		if r, w := missing(g.Solutions, each); r+w > 0 {
			dropped++
			continue
		}
		balanced = append(balanced, draw(g.Solutions, each, seed.Stream(seed.Derive(root, "verifier balance", i)))...)
	}
	return balanced, dropped
}

// draw takes the first so many right and wrong ones of a shuffle.
func draw(solutions []Solution, each int, rng *rand.Rand) []Solution {
	left := map[bool]int{true: each, false: each}
	var out []Solution
	for _, i := range rng.Perm(len(solutions)) {
		if s := solutions[i]; left[s.Right] > 0 {
			left[s.Right]--
			out = append(out, s)
		}
	}
	return out
}

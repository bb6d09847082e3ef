package rollout_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/train/record"
)

// A slowDice streams its completions one request after another, and before the last one waits until something has been scored. A
// watcher sees each token just before it is handed out, as with an engine that draws it then.
type slowDice struct {
	dice
	scored chan struct{} // closed by the scorer's first call
}

func (d *slowDice) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	unwatched := slices.Clone(reqs)
	for i := range unwatched {
		unwatched[i].Watch = nil
	}
	samples, err := d.Sample(ctx, unwatched)
	for i, s := range samples {
		if i == len(samples)-1 {
			select {
			case <-d.scored:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		for at, token := range s.Tokens {
			ended := reqs[i].Watch != nil && reqs[i].Watch.Ends(token)
			if err := each(i, token); err != nil {
				return nil, err
			}
			if ended {
				samples[i].Tokens, samples[i].Logprobs, samples[i].Stop = s.Tokens[:at+1], s.Logprobs[:at+1], engine.StopText
				break
			}
		}
	}
	return samples, err
}

// eager is vowels, early.
type eager struct {
	vowels
	early  []int // nodes of each early call
	late   int   // nodes scored in turns
	first  func()
	refuse error
}

func (*eager) Streams() bool { return true }

func (e *eager) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	e.late += len(turn)
	return e.vowels.Score(ctx, turn)
}

func (e *eager) ScoreSome(ctx context.Context, some []rollout.ScoreItem) error {
	if len(e.early) == 0 && e.refuse == nil {
		e.first()
	}
	e.early = append(e.early, len(some))
	if e.refuse != nil {
		return e.refuse
	}
	return e.vowels.Score(ctx, some)
}

func eagerRunner(t *testing.T, refuse error) (*rollout.Runner, *eager) {
	t.Helper()
	d := &slowDice{scored: make(chan struct{})}
	r := runner(t, d, 2, 2, rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 3})
	scorer := &eager{vowels: vowels{2}, first: func() { close(d.scored) }, refuse: refuse}
	r.Scorer = scorer
	return r, scorer
}

// TestStreamingScorer: nodes are scored while the engine draws others, and the episodes are the same.
func TestStreamingScorer(t *testing.T) {
	r, scorer := eagerRunner(t, nil)
	got := play(t, r, 5)
	want := play(t, runner(t, &dice{}, 2, 2, r.Settings), 5)
	if !reflect.DeepEqual(got, want) {
		t.Error("episodes that were scored early are others")
	}
	sum := 0
	for _, n := range scorer.early {
		sum += n
	}
	if nodes := record.CostsOf(got).Nodes; sum != nodes || scorer.late != 0 || len(scorer.early) < 2 {
		t.Errorf("of %d nodes %v were scored early, %d late", nodes, scorer.early, scorer.late)
	}
}

// TestStreamingScorerOfCutAnswers: answers that end for want of room, at no end token, are scored with their turn.
func TestStreamingScorerOfCutAnswers(t *testing.T) {
	r, scorer := eagerRunner(t, nil)
	scorer.first()
	scorer.first = func() {}
	r.Settings.MaxTokens = 4 // the dice draws three
	if got := play(t, r, 3); scorer.late != record.CostsOf(got).Nodes || len(scorer.early) > 0 {
		t.Errorf("%d nodes were scored with their turn, %v early", scorer.late, scorer.early)
	}
}

// TestStreamingScorerFails: its error ends sampling, which would wait for ever, and is the one that is reported.
func TestStreamingScorerFails(t *testing.T) {
	refused := errors.New("refused")
	r, scorer := eagerRunner(t, refused)
	if _, err := r.Run(context.Background(), "test", 1, problems(4)); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	if len(scorer.early) != 1 {
		t.Errorf("asked %d times after it had failed", len(scorer.early))
	}
}

package rollout_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"parley/credit"
	"parley/engine"
	"parley/rollout"
)

// A slowDice streams its completions one request after another, and before the last one waits until something has been judged.
type slowDice struct {
	dice
	judged chan struct{} // closed by the judge's first call
}

func (d *slowDice) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	samples, err := d.Sample(ctx, reqs)
	for i, s := range samples {
		if i == len(samples)-1 {
			select {
			case <-d.judged:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		for _, token := range s.Tokens {
			if err := each(i, token); err != nil {
				return nil, err
			}
		}
	}
	return samples, err
}

// eager is vowels, early.
type eager struct {
	vowels
	early  []int // nodes of each early call
	late   int   // nodes judged in turns
	first  func()
	refuse error
}

func (*eager) Early() bool { return true }

func (e *eager) Judge(ctx context.Context, turn []rollout.Judged) error {
	e.late += len(turn)
	return e.vowels.Judge(ctx, turn)
}

func (e *eager) JudgeEarly(ctx context.Context, some []rollout.Judged) error {
	if len(e.early) == 0 && e.refuse == nil {
		e.first()
	}
	e.early = append(e.early, len(some))
	if e.refuse != nil {
		return e.refuse
	}
	return e.vowels.Judge(ctx, some)
}

func eagerRunner(t *testing.T, refuse error) (*rollout.Runner, *eager) {
	t.Helper()
	d := &slowDice{judged: make(chan struct{})}
	r := runner(t, d, 2, 2, rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 3})
	judge := &eager{vowels: vowels{2}, first: func() { close(d.judged) }, refuse: refuse}
	r.Judge = judge
	return r, judge
}

// TestEarlyJudge: nodes are judged while the engine draws others, and the episodes are the same.
func TestEarlyJudge(t *testing.T) {
	r, judge := eagerRunner(t, nil)
	got := play(t, r, 5)
	want := play(t, runner(t, &dice{}, 2, 2, r.Settings), 5)
	if !reflect.DeepEqual(got, want) {
		t.Error("episodes that were judged early are others")
	}
	sum := 0
	for _, n := range judge.early {
		sum += n
	}
	if nodes := rollout.Count(got).Nodes; sum != nodes || judge.late != 0 || len(judge.early) < 2 {
		t.Errorf("of %d nodes %v were judged early, %d late", nodes, judge.early, judge.late)
	}
}

// TestEarlyJudgeOfCutAnswers: answers that end for want of room, at no end token, are judged with their turn.
func TestEarlyJudgeOfCutAnswers(t *testing.T) {
	r, judge := eagerRunner(t, nil)
	judge.first()
	judge.first = func() {}
	r.Settings.MaxTokens = 4 // the dice draws three
	if got := play(t, r, 3); judge.late != rollout.Count(got).Nodes || len(judge.early) > 0 {
		t.Errorf("%d nodes were judged with their turn, %v early", judge.late, judge.early)
	}
}

// TestEarlyJudgeFails: its error ends sampling, which would wait for ever, and is the one that is reported.
func TestEarlyJudgeFails(t *testing.T) {
	refused := errors.New("refused")
	r, judge := eagerRunner(t, refused)
	if _, err := r.Run(context.Background(), "test", 1, problems(4)); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	if len(judge.early) != 1 {
		t.Errorf("asked %d times after it had failed", len(judge.early))
	}
}

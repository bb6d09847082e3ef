package progress_test

import (
	"testing"
	"time"

	"parley/recipe/language"
	"parley/runs"
	"parley/train/progress"
)

// A clock goes on when it is told to.
type clock struct{ now time.Time }

func (c *clock) pass(seconds float64) {
	c.now = c.now.Add(time.Duration(seconds * float64(time.Second)))
}

// follow returns a forecast over three stages: 10 answers measured, 100 trained on, 10 measured.
func follow() (*progress.Forecast, *clock) {
	c := &clock{time.Unix(0, 0)}
	return progress.New([]progress.Stage{
		{Name: "before", Kind: progress.StageMeasuring, Answers: 10},
		{Name: "team", Kind: progress.StageTraining, Answers: 100},
		{Name: "after", Kind: progress.StageMeasuring, Answers: 10},
	}, func() time.Time { return c.now }), c
}

func TestForecast(t *testing.T) {
	f, c := follow()
	check := func(when string, want float64) {
		t.Helper()
		if got := f.Left().Seconds(); got < want-1e-6 || got > want+1e-6 {
			t.Errorf("%s: %g seconds left, want %g", when, got, want)
		}
	}
	check("before anything", 0)
	f.Enter("before", 0)
	c.pass(5)
	f.Reach(1)
	check("nothing is known of learning", 0)
	f.Enter("team", 0)
	c.pass(20)
	f.Reach(0.1) // 2 s an answer
	check("a tenth is trained", 90*2+10*0.5)
	c.pass(1000)
	check("time without news", 90*2+10*0.5)
	f.Reach(0.1)
	check("the same news again", 90*2+10*0.5)
	f.Enter("no such stage", 0)
	check("another name", 90*2+10*0.5)
	f.Enter("after", 0)
	check("training is done", 10*0.5)
	c.pass(5)
	f.Reach(1)
	check("all is done", 0)
}

// TestForecastOfResumedRun: measurements that an earlier program made take no time now, and what it trained is not counted as this one's work.
func TestForecastOfResumedRun(t *testing.T) {
	f, c := follow()
	f.Enter("team", 0.5)
	c.pass(10)
	f.Reach(0.6) // 1 s an answer; a measured one takes no longer
	if got := f.Left().Seconds(); got < 50-1e-6 || got > 50+1e-6 {
		t.Errorf("%g seconds left, want 40 for the training and at most 10 for the measurement", got)
	}
}

// TestStages: the shipped default run has the stages that its table has rows.
func TestStages(t *testing.T) {
	r, err := language.New().Load("debate-sums", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range progress.Stages(r, r.Training.Updates) {
		names = append(names, s.Name)
		if s.Answers <= 0 {
			t.Errorf("stage %s has %d answers", s.Name, s.Answers)
		}
	}
	want := []string{runs.OffTheShelf, progress.Team, runs.Trained, runs.Single, runs.MajorityVote, progress.SingleAgent, runs.TrainedSingle}
	if len(names) != len(want) {
		t.Fatalf("stages %v, want %v", names, want)
	}
	for i := range want {
		if names[i] != want[i] {
			t.Errorf("stage %d is %s, want %s", i+1, names[i], want[i])
		}
	}
}

// TestForecastOfPanels: what panels take is no time of training. It is left as far as the training is.
func TestForecastOfPanels(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	f := progress.New([]progress.Stage{
		{Name: "before", Kind: progress.StageMeasuring, Answers: 10},
		{Name: "team", Kind: progress.StageTraining, Answers: 100},
		{Name: progress.Panel, Kind: progress.StageMeasuring, Answers: 40},
		{Name: "after", Kind: progress.StageMeasuring, Answers: 10},
	}, func() time.Time { return c.now })
	check := func(when string, want float64) {
		t.Helper()
		if got := f.Left().Seconds(); got < want-1e-6 || got > want+1e-6 {
			t.Errorf("%s: %g seconds left, want %g", when, got, want)
		}
	}
	f.Enter("before", 0)
	c.pass(5) // 0.5 s an answer
	f.Reach(1)
	f.Enter("team", 0)
	c.pass(10 + 5) // 1 s an answer of 10, and a panel of 10
	f.Aside(5)
	f.Reach(0.1)
	check("a tenth is trained", 90+0.9*40*0.5+10*0.5)
	f.Enter("after", 0)
	check("all is trained", 10*0.5)
	r, err := language.New().Load("debate-sums", []string{"eval.every=7", "eval.panel=9", "training.updates=15"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range progress.Stages(r, 15) {
		if s.Name == progress.Panel && s.Answers != 3*9*r.Answers(r.MeasuredAgents()) {
			t.Errorf("panels of %d answers", s.Answers)
		}
	}
}

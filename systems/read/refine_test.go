package read_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/read"
)

// scripted proposes what scores say, by robot and try.
func scripted(scores [][]float64, look func(read.Ask)) func(read.Ask) (read.Try, bool) {
	return func(a read.Ask) (read.Try, bool) {
		look(a)
		m := len(a.Refused)
		return read.Try{Action: fmt.Sprint(a.Robot, ".", m), Score: scores[a.Robot][m]}, true
	}
}

func nobody(read.Ask) {}

// TestEndsWhenNothingCanBe: with every score −∞ the loop ends after its last try, with the first proposal.
func TestEndsWhenNothingCanBe(t *testing.T) {
	never := slices.Repeat([]float64{math.Inf(-1)}, 10)
	loop := read.Loop{Tries: 10, Threshold: read.NewThreshold(read.PerRobot, 0)}
	got, ok := loop.Step(1, scripted([][]float64{never}, nobody))
	if d := got[0]; !ok || d.Executed != "0.0" || d.Accepted || len(d.Tries) != 10 || len(d.Refused()) != 10 {
		t.Errorf("%+v", got)
	}
	never[3], never[5] = -2, -2
	got, _ = loop.Step(1, scripted([][]float64{never}, nobody))
	if d := got[0]; d.Executed != "0.3" {
		t.Errorf("%+v", d)
	}
}

// TestStrictly: a score that is the threshold is refused, also where they differ by rounding.
func TestStrictly(t *testing.T) {
	loop := read.Loop{Tries: 2, Threshold: read.NewThreshold(read.PerRobot, .3)}
	sum := .1 // and .2: more than .3 by rounding
	sum += .2
	got, _ := loop.Step(1, scripted([][]float64{{sum, .16}}, nobody))
	if d := got[0]; d.Executed != "0.1" || !d.Accepted || !slices.Equal(d.Thresholds, []float64{.3, .15}) {
		t.Errorf("%+v", d)
	}
}

// TestSchedules: with two robots and no refusal the paper's threshold halves every step; set anew for each robot it stays.
func TestSchedules(t *testing.T) {
	for schedule, want := range map[read.Schedule]string{read.Paper: "[0.4 0.2 0.2 0.1 0.1 0.05]", read.PerRobot: "[0.4 0.4 0.4 0.4 0.4 0.4]"} {
		loop := read.Loop{Tries: 3, Threshold: read.NewThreshold(schedule, .4)}
		var bounds []float64
		for range 3 {
			got, _ := loop.Step(2, scripted([][]float64{{1}, {1}}, nobody))
			for _, d := range got {
				bounds = append(bounds, d.Thresholds...)
			}
		}
		if fmt.Sprint(bounds) != want {
			t.Errorf("%s: %v, want %s", schedule, bounds, want)
		}
	}
}

// TestSeesEarlierRobotsOnly: the planner of robot i knows the actions of the robots before it in this step, and no others.
func TestSeesEarlierRobotsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		robots, tries := rapid.IntRange(1, 4).Draw(t, "robots"), rapid.IntRange(1, 4).Draw(t, "tries")
		score := rapid.SampledFrom([]float64{math.Inf(-1), -.5, 0, .5, 1})
		loop := read.Loop{Tries: tries, Threshold: read.NewThreshold(rapid.SampledFrom([]read.Schedule{read.Paper, read.PerRobot}).Draw(t, "schedule"), .4)}
		for range 2 {
			var scores [][]float64
			for range robots {
				scores = append(scores, rapid.SliceOfN(score, tries, tries).Draw(t, "scores"))
			}
			var asks []read.Ask
			got, _ := loop.Step(robots, scripted(scores, func(a read.Ask) { asks = append(asks, a) }))
			for _, a := range asks {
				if len(a.Before) != a.Robot {
					t.Fatalf("%+v", a)
				}
				for i, action := range a.Before {
					if action != got[i].Executed {
						t.Fatalf("robot %d sees %v, done was %v", a.Robot, a.Before, got)
					}
				}
			}
			for _, d := range got {
				if last := len(d.Tries) - 1; d.Accepted != (d.Tries[last].Score > d.Thresholds[last]) || !d.Accepted && last != tries-1 {
					t.Fatalf("%+v", d)
				}
			}
		}
	})
}

// TestStepWaits: a step that lacks an answer leaves the loop as it was, so the step can be gone through again.
func TestStepWaits(t *testing.T) {
	loop := read.Loop{Tries: 2, Threshold: read.NewThreshold(read.Paper, .8)}
	before := loop
	if _, ok := loop.Step(2, func(a read.Ask) (read.Try, bool) { return read.Try{Score: 1}, a.Robot == 0 }); ok || loop != before {
		t.Errorf("%+v, want %+v", loop, before)
	}
}

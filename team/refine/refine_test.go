package refine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/team/refine"
)

// scripted proposes what scores say, by robot and try.
func scripted(scores [][]float64, look func(refine.Ask)) func(refine.Ask) (refine.Try, bool) {
	return func(a refine.Ask) (refine.Try, bool) {
		look(a)
		m := len(a.Refused)
		return refine.Try{Action: fmt.Sprint(a.Robot, ".", m), Score: scores[a.Robot][m]}, true
	}
}

func nobody(refine.Ask) {}

// TestEndsWhenNothingCanBe: with every score −∞ the loop ends after its last try, with the first proposal.
func TestEndsWhenNothingCanBe(t *testing.T) {
	never := slices.Repeat([]float64{math.Inf(-1)}, 10)
	loop := refine.Loop{Tries: 10, Threshold: refine.NewThreshold(refine.PerRobot, 0)}
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
	loop := refine.Loop{Tries: 2, Threshold: refine.NewThreshold(refine.PerRobot, .3)}
	sum := .1 // and .2: more than .3 by rounding
	sum += .2
	got, _ := loop.Step(1, scripted([][]float64{{sum, .16}}, nobody))
	if d := got[0]; d.Executed != "0.1" || !d.Accepted || !slices.Equal(d.Thresholds, []float64{.3, .15}) {
		t.Errorf("%+v", d)
	}
}

// TestSchedules: with two robots and no refusal the paper's threshold halves every step; set anew for each robot it stays.
func TestSchedules(t *testing.T) {
	for schedule, want := range map[refine.Schedule]string{refine.Paper: "[0.4 0.2 0.2 0.1 0.1 0.05]", refine.PerRobot: "[0.4 0.4 0.4 0.4 0.4 0.4]"} {
		loop := refine.Loop{Tries: 3, Threshold: refine.NewThreshold(schedule, .4)}
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
		loop := refine.Loop{Tries: tries, Threshold: refine.NewThreshold(rapid.SampledFrom([]refine.Schedule{refine.Paper, refine.PerRobot}).Draw(t, "schedule"), .4)}
		for range 2 {
			var scores [][]float64
			for range robots {
				scores = append(scores, rapid.SliceOfN(score, tries, tries).Draw(t, "scores"))
			}
			var asks []refine.Ask
			got, _ := loop.Step(robots, scripted(scores, func(a refine.Ask) { asks = append(asks, a) }))
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
	loop := refine.Loop{Tries: 2, Threshold: refine.NewThreshold(refine.Paper, .8)}
	before := loop
	if _, ok := loop.Step(2, func(a refine.Ask) (refine.Try, bool) { return refine.Try{Score: 1}, a.Robot == 0 }); ok || loop != before {
		t.Errorf("%+v, want %+v", loop, before)
	}
}

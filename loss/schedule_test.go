package loss

import (
	"fmt"
	"math"
	"testing"
)

// fromTurn2 trains all turns from turn 2 on, or the only one; alternating blocks, if chosen, are 20 and 40 updates.
func fromTurn2(turns int) TurnSchedule {
	return TurnSchedule{Kind: AllTurns, Turns: turns, First: min(2, turns), Initial: 20, Block: 40}
}

// MAPoRL §6.
func TestTurnSchedules(t *testing.T) {
	all := fromTurn2(3)
	if got := fmt.Sprint(all.Trained(7)); got != "[2 3]" {
		t.Errorf("all trained turns are %s", got)
	}
	all.First = 1
	if got := fmt.Sprint(all.Trained(7)); got != "[1 2 3]" {
		t.Errorf("from turn 1 on: %s", got)
	}
	if got := fmt.Sprint(fromTurn2(1).Trained(0)); got != "[1]" {
		t.Errorf("a debate of one turn trains %s", got)
	}
	alternating := fromTurn2(3)
	alternating.Kind = AlternatingTurns
	for update, want := range map[int]string{0: "[2]", 19: "[2]", 20: "[3]", 59: "[3]", 60: "[2]", 99: "[2]", 100: "[3]", 139: "[3]"} {
		if got := fmt.Sprint(alternating.Trained(update)); got != want {
			t.Errorf("update %d trains %s, want %s", update, got, want)
		}
	}
}

// Over a full cycle of blocks, every turn but the first learns equally often.
func TestAlternatingIsFair(t *testing.T) {
	s := TurnSchedule{Kind: AlternatingTurns, Turns: 5, First: 2, Initial: 3, Block: 4}
	counts := map[int]int{}
	for u := s.Initial; u < s.Initial+s.Block*(s.Turns-1); u++ {
		counts[s.Trained(u)[0]]++
	}
	if fmt.Sprint(counts) != "map[2:4 3:4 4:4 5:4]" {
		t.Errorf("%v", counts)
	}
}

func TestTurnScheduleCheck(t *testing.T) {
	if err := fromTurn2(3).Check(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []TurnSchedule{
		{Kind: "some", Turns: 3, First: 2},
		{Kind: AllTurns, Turns: 0, First: 1},
		{Kind: AllTurns, Turns: 3, First: 4},
		{Kind: AllTurns, Turns: 3, First: 0},
		{Kind: AlternatingTurns, Turns: 3, First: 2, Block: 0},
		{Kind: AlternatingTurns, Turns: 3, First: 2, Block: 1, Initial: -1},
	} {
		if s.Check() == nil {
			t.Errorf("%+v passed", s)
		}
	}
}

func TestRateSchedule(t *testing.T) {
	for _, c := range []struct {
		schedule RateSchedule
		want     map[int]float64
	}{
		{RateSchedule{Peak: 1, Warmup: 10, Steps: 60, Floor: .1}, map[int]float64{0: .1, 4: .5, 9: 1, 10: 1, 59: .1, 99: .1}},
		{RateSchedule{Peak: 2, Warmup: 0, Steps: 11, Floor: 0}, map[int]float64{0: 2, 5: 1, 10: 0}},
		{RateSchedule{Peak: 3, Warmup: 2, Steps: 10, Floor: 1}, map[int]float64{0: 1.5, 1: 3, 5: 3, 9: 3}},
		{RateSchedule{Peak: 1, Warmup: 10, Steps: 5, Floor: .1}, map[int]float64{0: .1, 4: .5}},
		{RateSchedule{Peak: 1, Warmup: 0, Steps: 1, Floor: .1}, map[int]float64{0: 1}},
	} {
		for step, want := range c.want {
			if got := c.schedule.Rate(step); math.Abs(got-want) > 1e-12 {
				t.Errorf("%+v at step %d is %v, want %v", c.schedule, step, got, want)
			}
		}
	}
}

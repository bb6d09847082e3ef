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

// TestRateSchedule: a rate rises to exactly its peak at the end of the warm-up, in whatever update that is, and ends at its floor.
func TestRateSchedule(t *testing.T) {
	type at struct{ step, update, top int }
	for _, c := range []struct {
		schedule RateSchedule
		want     map[at]float64
	}{
		// one step an update
		{RateSchedule{Peak: 1, Warmup: 10, Updates: 60, Floor: .1}, map[at]float64{{0, 0, 0}: .1, {4, 4, 4}: .5, {9, 9, 9}: 1, {34, 34, 9}: .55, {59, 59, 9}: .1, {99, 99, 9}: .1}},
		{RateSchedule{Peak: 2, Warmup: 0, Updates: 11, Floor: 0}, map[at]float64{{0, 0, 0}: 2, {5, 5, 0}: 1, {10, 10, 0}: 0}},
		{RateSchedule{Peak: 3, Warmup: 2, Updates: 10, Floor: 1}, map[at]float64{{0, 0, 0}: 1.5, {1, 1, 1}: 3, {5, 5, 1}: 3, {9, 9, 1}: 3}},
		// four steps an update: the warm-up ends within the third
		{RateSchedule{Peak: 1, Warmup: 10, Updates: 5, Floor: .1}, map[at]float64{{0, 0, 0}: .1, {8, 2, 2}: .9, {9, 2, 2}: 1, {11, 2, 2}: 1, {12, 3, 2}: .55, {16, 4, 2}: .1, {19, 4, 2}: .1}},
		// longer than the run, a run of one update, and a policy that learns in the last update alone
		{RateSchedule{Peak: 1, Warmup: 10, Updates: 5, Floor: .1}, map[at]float64{{0, 0, 0}: .1, {4, 4, 4}: .5}},
		{RateSchedule{Peak: 1, Warmup: 0, Updates: 1, Floor: .1}, map[at]float64{{0, 0, 0}: 1, {5, 0, 0}: 1}},
		{RateSchedule{Peak: 1, Warmup: 2, Updates: 5, Floor: .1}, map[at]float64{{0, 4, 4}: .5, {1, 4, 4}: 1, {9, 4, 4}: 1}},
	} {
		for x, want := range c.want {
			if got := c.schedule.Rate(x.step, x.update, x.top); math.Abs(got-want) > 1e-12 {
				t.Errorf("%+v at %+v is %v, want %v", c.schedule, x, got, want)
			}
		}
	}
}

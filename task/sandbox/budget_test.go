package sandbox

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestBudget: programs one after the other take their time from a budget, programs at once take it once, and what is left is all that
// the next one gets.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10 * time.Second)
		spend := func(wall, takes, want time.Duration, how Status) {
			t.Helper()
			granted, end := b.Begin(wall)
			if granted != want {
				t.Errorf("a program that may take %v is granted %v, want %v", wall, granted, want)
			}
			time.Sleep(min(takes, granted))
			end(how)
		}
		spend(4*time.Second, 3*time.Second, 4*time.Second, Exited)
		time.Sleep(time.Hour) // nothing runs
		one, endOne := b.Begin(4 * time.Second)
		time.Sleep(time.Second)
		other, endOther := b.Begin(4 * time.Second)
		time.Sleep(2 * time.Second)
		endOne(Exited)
		endOther(TimedOut)
		if one != 4*time.Second || other != 4*time.Second || b.Spent() {
			t.Errorf("two at once are granted %v and %v; spent %v", one, other, b.Spent())
		}
		spend(4*time.Second, time.Second, 4*time.Second, Exited)
		if b.Spent() {
			t.Error("spent before anything was cut short")
		}
		spend(4*time.Second, time.Hour, 3*time.Second, TimedOut)
		if !b.Spent() {
			t.Error("a program was cut short")
		}
		spend(time.Second, time.Hour, 0, Exited)
		var none *Budget
		if granted, end := none.Begin(time.Minute); granted != time.Minute || none.Spent() {
			t.Errorf("no budget grants %v", granted)
		} else {
			end(TimedOut)
		}
	})
}

package promise

import (
	"errors"
	"testing"
	"time"
)

type text string

func (t text) JSON() ([]byte, error) { return []byte(t), nil }
func (t text) Proto() []byte         { return nil }

func limits() Limits {
	return Limits{Open: 2, OpenBytes: 100, Keep: time.Hour, Again: time.Hour, KeepBytes: 1 << 20}
}

func make1(t *testing.T, table *Table, size int) *Promise {
	t.Helper()
	p, err := table.Make(size, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFull: a table takes so many open promises, and so many bytes of their requests; one of any size has room alone.
func TestFull(t *testing.T) {
	table := NewTable(limits())
	a := make1(t, table, 1000)
	if _, err := table.Make(1, func() {}); !errors.Is(err, ErrFull) {
		t.Errorf("too many bytes: %v", err)
	}
	a.Keep(text("a"), 1)
	b, c := make1(t, table, 1), make1(t, table, 1)
	if _, err := table.Make(1, func() {}); !errors.Is(err, ErrFull) {
		t.Errorf("too many promises: %v", err)
	}
	b.Break(Failure{Category: "user", Words: "no"})
	b.Keep(text("later"), 1) // the first end counts
	c.Keep(text("c"), 1)
	if r, f := b.Outcome(); r != nil || f == nil || f.Words != "no" {
		t.Errorf("%v, %v", r, f)
	}
	if n := table.Open(); n != 0 {
		t.Errorf("%d are open", n)
	}
}

// TestKept: results are there again and again, until their time or their room is over; then it is said that they were there.
func TestKept(t *testing.T) {
	l := limits()
	l.KeepBytes = 3 * overhead
	table := NewTable(l)
	var ids []string
	for range 5 {
		p := make1(t, table, 1)
		p.Keep(text("x"), 0)
		ids = append(ids, p.ID)
	}
	for i, id := range ids {
		for range 2 {
			if p, gone := table.Find(id); (p != nil) != (i >= 2) || gone != (i < 2) {
				t.Errorf("%d: %v, gone %v", i, p, gone)
			}
		}
	}
	l.Keep = 0
	table = NewTable(l)
	p := make1(t, table, 1)
	p.Keep(text("x"), 0)
	if again, gone := table.Find(p.ID); again != nil || !gone {
		t.Error("a result is there behind its time")
	}
	for _, id := range []string{"", "1", "x-1", "0123456789abcdef-0", "0123456789abcdeg-1", p.ID + "1"} {
		if q, gone := table.Find(id); q != nil || gone {
			t.Errorf("%q is known", id)
		}
	}
	if _, gone := table.Find(ids[0]); !gone {
		t.Error("a result of another process is not known to have been")
	}
}

// TestTold: a result that was given out is forgotten before one that nobody came for, wherever that stands, and its request's context ends with it.
func TestTold(t *testing.T) {
	l := limits()
	l.Again = 20 * time.Millisecond
	table := NewTable(l)
	first := make1(t, table, 1)
	stopped := 0
	second, err := table.Make(1, func() { stopped++ })
	if err != nil {
		t.Fatal(err)
	}
	first.Keep(text("first"), 0)
	second.Keep(text("second"), 0)
	second.Cancel()
	if stopped != 1 {
		t.Errorf("the work's context was ended %d times", stopped)
	}
	for range 2 {
		if r, f := second.Outcome(); r != text("second") || f != nil {
			t.Errorf("%v, %v", r, f)
		}
		if p, _ := table.Find(second.ID); p != second {
			t.Error("a result that was just given out is not there")
		}
	}
	time.Sleep(2 * l.Again)
	table.Sweep()
	if len(table.all) != 1 || table.kept != overhead || table.told.Len() != 0 || table.closed.Len() != 1 {
		t.Errorf("%d promises of %d bytes are kept, %d of them told", len(table.all), table.kept, table.told.Len())
	}
	if _, gone := table.Find(second.ID); !gone {
		t.Error("what was given out is there for ever")
	}
	if r, _ := second.Outcome(); r != text("second") || table.told.Len() != 0 {
		t.Errorf("who holds a result that is forgotten gets %v", r)
	}
	if p, _ := table.Find(first.ID); p != first {
		t.Error("a result that nobody came for is forgotten")
	}
}

// TestWait: who waits is told the end at once.
func TestWait(t *testing.T) {
	table := NewTable(limits())
	p := make1(t, table, 1)
	if p.Wait(t.Context(), time.Millisecond) {
		t.Error("it ended")
	}
	go p.Keep(text("x"), 0)
	if !p.Wait(t.Context(), time.Minute) {
		t.Error("it did not end")
	}
}

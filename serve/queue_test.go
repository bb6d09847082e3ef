package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// waits returns once n requests wait.
func waits(t *testing.T, q *Queue, n int) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		if _, waiting := q.Counts(); waiting == n {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("%d requests never waited", n)
		}
	}
}

// TestClientsInTurn: one client with many requests delays another by one of them.
func TestClientsInTurn(t *testing.T) {
	q := NewQueue(1, 10)
	leave, err := q.Enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	var all sync.WaitGroup
	for i, client := range []string{"a", "a", "a", "b", "c", "b"} {
		all.Go(func() {
			leave, err := q.Enter(t.Context(), client)
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, client) // one at a time works
			leave()
		})
		waits(t, q, i+1)
	}
	leave()
	all.Wait()
	if want := []string{"a", "b", "c", "a", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("requests worked in the order %v, want %v", order, want)
	}
	if working, waiting := q.Counts(); working != 0 || waiting != 0 {
		t.Errorf("%d work and %d wait at the end", working, waiting)
	}
}

// TestFull: more than may wait are refused, and who leaves makes room, be it before or after its turn.
func TestFull(t *testing.T) {
	q := NewQueue(1, 2)
	leave, err := q.Enter(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	for range 2 {
		go func() { _, err := q.Enter(ctx, "b"); errs <- err }()
	}
	waits(t, q, 2)
	if _, err := q.Enter(t.Context(), "c"); !errors.Is(err, ErrFull) {
		t.Errorf("error %v of one too many", err)
	}
	cancel()
	for range 2 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v of one that left", err)
		}
	}
	leave()
	for range 100 { // those who leave while their turn comes
		ctx, cancel := context.WithCancel(t.Context())
		first, err := q.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			if leave, err := q.Enter(ctx, "b"); err == nil {
				leave()
			}
			close(done)
		}()
		waits(t, q, 1)
		go cancel()
		first()
		<-done
	}
	if working, waiting := q.Counts(); working != 0 || waiting != 0 {
		t.Errorf("%d work and %d wait at the end", working, waiting)
	}
}

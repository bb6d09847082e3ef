package promise

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// note returns an operation that notes a number.
func note(mu *sync.Mutex, into *[]int, n int, done *sync.WaitGroup) Op {
	done.Add(1)
	return Op{
		Do:   func() { mu.Lock(); *into = append(*into, n); mu.Unlock(); done.Done() },
		Drop: func() { mu.Lock(); *into = append(*into, -n); mu.Unlock(); done.Done() },
	}
}

// TestOrder: whatever order operations come in, they are done in that of their numbers.
func TestOrder(t *testing.T) {
	var mu sync.Mutex
	var done sync.WaitGroup
	var got []int
	l := NewLane(1, time.Hour)
	for _, n := range []int{5, 3, 2, 6, 4, 1} {
		if !l.Put(n, note(&mu, &got, n, &done)) {
			t.Errorf("%d was not taken", n)
		}
	}
	done.Wait()
	if !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%v", got)
	}
	if l.Put(5, Op{}) {
		t.Error("a number that has passed was taken")
	}
	if !l.Put(9, note(&mu, &got, 9, &done)) || l.Put(9, Op{}) {
		t.Error("a number was taken twice")
	}
	l.Close()
	done.Wait()
	if got[len(got)-1] != -9 || l.Put(8, Op{}) {
		t.Errorf("behind the end: %v", got)
	}
}

// TestGap: a number that does not come is waited for no longer than the patience of the lane.
func TestGap(t *testing.T) {
	var mu sync.Mutex
	var done sync.WaitGroup
	var got []int
	l := NewLane(1, time.Millisecond)
	l.Put(6, note(&mu, &got, 6, &done))
	l.Put(4, note(&mu, &got, 4, &done))
	done.Wait()
	if !slices.Equal(got, []int{4, 6}) {
		t.Errorf("%v", got)
	}
}

package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRunCallsEachIndexOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 4, 9} {
		k := open(t, "generic", threads)
		for n := range 70 {
			counts := make([]atomic.Int32, n)
			k.Run(n, func(i int) { counts[i].Add(1) })
			for i := range counts {
				if c := counts[i].Load(); c != 1 {
					t.Fatalf("%d threads: index %d of %d was called %d times", threads, i, n, c)
				}
			}
		}
	}
}

// TestRunPublishesResults: what f wrote is visible after Run without further synchronisation (for the race detector).
func TestRunPublishesResults(t *testing.T) {
	k := open(t, "generic", 4)
	sum := 0
	values := make([]int, 100)
	for round := range 300 {
		k.Run(len(values), func(i int) { values[i] += i })
		sum = 0
		for _, v := range values {
			sum += v
		}
		if want := (round + 1) * 99 * 50; sum != want {
			t.Fatalf("round %d: sum %d, want %d", round, sum, want)
		}
	}
}

// TestRunAfterIdle: parked workers wake again.
func TestRunAfterIdle(t *testing.T) {
	k := open(t, "generic", 3)
	for range 20 {
		time.Sleep(2 * spinTime)
		var calls atomic.Int32
		k.Run(30, func(int) { calls.Add(1) })
		if calls.Load() != 30 {
			t.Fatalf("%d of 30 calls", calls.Load())
		}
	}
}

// TestRunUsesThePool: two indices that wait for each other are only done by two threads.
func TestRunUsesThePool(t *testing.T) {
	k := open(t, "generic", 2)
	var meet sync.WaitGroup
	meet.Add(2)
	k.Run(2, func(int) { meet.Done(); meet.Wait() })
}

func TestRunFromSeveralGoroutinesAndWithin(t *testing.T) {
	k := open(t, "generic", 3)
	var total atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				k.Run(5, func(int) { k.Run(3, func(int) { total.Add(1) }) })
			}
		})
	}
	all.Wait()
	if total.Load() != 4*200*5*3 {
		t.Errorf("%d calls, want %d", total.Load(), 4*200*5*3)
	}
}

// TestRunWithOneProcessor: more threads than processors must still end.
func TestRunWithOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	k := open(t, "generic", 4)
	var calls atomic.Int32
	for range 100 {
		k.Run(8, func(int) { calls.Add(1) })
	}
	if calls.Load() != 800 {
		t.Errorf("%d calls, want 800", calls.Load())
	}
}

func TestCloseStopsWorkers(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		k := open(t, "generic", 4)
		k.Run(4, func(int) {})
		k.Close()
		k.Close()
		calls := 0
		k.Run(4, func(int) { calls++ })
		if calls != 4 {
			t.Fatalf("%d of 4 calls after Close", calls)
		}
	}
	// A goroutine is counted until a moment after its last statement.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestCollectorDuringProducts: moving stacks and a running collector do not disturb the assembly.
func TestCollectorDuringProducts(t *testing.T) {
	k := open(t, "", 2)
	p := newProduct(5, 64, 128, 128, false)
	want := p.run(k)
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range 50 {
		sameProducts(t, "with the collector running", p.run(k), want)
	}
	close(stop)
	collector.Wait()
}

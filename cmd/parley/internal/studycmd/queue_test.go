package studycmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestRun: every job is done once, at most so many at a time; failures are told and stop nothing; the time left is that of jobs like those
// before.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	now, at, most := time.Unix(0, 0), 0, 0
	var done []string
	full := make(chan bool) // closed once three are at work
	var last event
	q := queue{
		Jobs: 3,
		Now:  func() time.Time { mu.Lock(); defer mu.Unlock(); return now },
		Do: func(_ context.Context, name string) error {
			mu.Lock()
			if at, most = at+1, max(most, at+1); most == 3 && at == 3 {
				select {
				case <-full:
				default:
					close(full)
				}
			}
			mu.Unlock()
			<-full
			mu.Lock()
			defer mu.Unlock()
			at--
			now, done = now.Add(time.Second), append(done, name)
			if name == "4" || name == "2" {
				return fmt.Errorf("job %s", name)
			}
			return nil
		},
		Tell: func(e event) {
			if e.Ended && e.Done < e.All && e.Left <= 0 {
				t.Errorf("nothing is known of the time left: %+v", e)
			}
			last = e
		},
	}
	names := []string{"1", "2", "3", "4", "5", "6", "7"}
	failed, err := q.Run(t.Context(), names)
	if err != nil || len(failed) != 2 || failed[0].Name != "2" || failed[1].Err.Error() != "job 4" {
		t.Errorf("failed %v, %v", failed, err)
	}
	if slices.Sort(done); !slices.Equal(done, names) || most != 3 || last.Done != 7 || last.Left != 0 {
		t.Errorf("done %v, %d at a time, last %+v", done, most, last)
	}
}

// TestInterrupted: no job begins behind the end of the context, those that go on are waited for, and the error is the context's.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began := 0
	q := queue{Jobs: 1, Now: time.Now, Tell: func(event) {}, Do: func(ctx context.Context, _ string) error {
		began++
		cancel()
		return ctx.Err()
	}}
	if failed, err := q.Run(ctx, []string{"1", "2", "3"}); !errors.Is(err, context.Canceled) || failed != nil || began != 1 {
		t.Errorf("%d began, failed %v, %v", began, failed, err)
	}
}

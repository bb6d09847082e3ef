//go:build unix

package jobs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/viewer/jobs"
)

// shell is work of a shell.
func shell(what, run, text string) jobs.Work {
	return jobs.Work{What: what, Run: run, Begin: func() ([]string, string, error) { return []string{"-c", text}, run, nil }}
}

// until waits for a state of the queue.
func until(t *testing.T, q *jobs.Queue, what string, holds func([]jobs.Job) bool) []jobs.Job {
	t.Helper()
	for range 2000 {
		if list := q.List(); holds(list) {
			return list
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s: %+v", what, q.List())
	return nil
}

func add(t *testing.T, q *jobs.Queue, w jobs.Work) {
	t.Helper()
	if _, err := q.Add(w); err != nil {
		t.Fatal(err)
	}
}

// TestQueue: trainings wait for each other and swaps do not wait for them; one that waits can be taken back, and one that runs can be stopped.
func TestQueue(t *testing.T) {
	q := &jobs.Queue{Program: "sh", Now: time.Now}
	add(t, q, shell("train", "a", `trap 'echo "parley: saved"; exit 130' INT; while :; do sleep 0.01; done`))
	add(t, q, shell("train", "b", `echo; echo parley: it is wrong >&2; exit 2`))
	add(t, q, shell("train", "c", `exit 0`))
	add(t, q, shell(jobs.Swap, "a", `exit 0`))
	list := until(t, q, "the swap is done", func(l []jobs.Job) bool { return l[3].State == jobs.Done && l[0].State == jobs.Running })
	if list[1].State != jobs.Waiting {
		t.Errorf("the second training is %s", list[1].State)
	}
	if err := q.Cancel(3); err != nil {
		t.Error(err)
	}
	var none *jobs.NoneError
	if err := q.Cancel(1); !errors.As(err, &none) {
		t.Errorf("a job that runs is taken back: %v", err)
	}
	if err := q.Stop("b"); !errors.As(err, &none) {
		t.Errorf("a job that waits is stopped: %v", err)
	}
	time.Sleep(100 * time.Millisecond) // the shell sets its trap
	if err := q.Stop("a"); err != nil {
		t.Fatal(err)
	}
	list = until(t, q, "all are done", func(l []jobs.Job) bool { return len(l) == 3 && l[1].State == jobs.Failed })
	if list[0].State != jobs.Done || !strings.Contains(list[0].Message, "saved") || !strings.HasPrefix(list[1].Message, "it is wrong") {
		t.Errorf("they ended as %+v", list)
	}
}

// TestBounds: a queue has an end, and what cannot be started says so.
func TestBounds(t *testing.T) {
	q := &jobs.Queue{Program: "sh", Now: time.Now}
	add(t, q, shell("train", "a", `sleep 0.3`))
	var busy *jobs.BusyError
	for i := 0; ; i++ {
		_, err := q.Add(shell("train", fmt.Sprint("b", i), `exit 0`))
		if errors.As(err, &busy) {
			break
		}
		if err != nil || i > 1000 {
			t.Fatalf("after %d: %v", i, err)
		}
	}
	q = &jobs.Queue{Program: "/does/not/exist", Now: time.Now}
	add(t, q, shell("train", "a", ``))
	list := until(t, q, "it cannot be started", func(l []jobs.Job) bool { return l[0].State == jobs.Failed })
	if !strings.Contains(list[0].Message, "does/not/exist") {
		t.Errorf("it says %q", list[0].Message)
	}
}

// TestOnce: a run that waits or is trained is not queued again, one that stops is, and stopping it twice is stopping it once.
func TestOnce(t *testing.T) {
	q := &jobs.Queue{Program: "sh", Now: time.Now}
	add(t, q, shell("train", "a", `n=0; trap 'n=$((n+1)); sleep 0.2; echo "parley: asked $n times" >&2; exit 130' INT; while :; do sleep 0.01; done`))
	until(t, q, "it runs", func(l []jobs.Job) bool { return l[0].State == jobs.Running && l[0].Run == "a" })
	var none *jobs.NoneError
	if _, err := q.Add(shell("resume", "a", `exit 0`)); !errors.As(err, &none) {
		t.Errorf("a run that is trained is queued: %v", err)
	}
	time.Sleep(100 * time.Millisecond) // the shell sets its trap
	for range 2 {
		if err := q.Stop("a"); err != nil {
			t.Fatal(err)
		}
	}
	add(t, q, jobs.Work{What: "resume", Run: "a", Begin: shell("resume", "a", `exit 0`).Begin})
	if _, err := q.Add(shell("resume", "a", `exit 0`)); !errors.As(err, &none) {
		t.Errorf("a run that waits is queued again: %v", err)
	}
	list := until(t, q, "it went on", func(l []jobs.Job) bool { return l[len(l)-1].State == jobs.Done })
	if len(list) != 2 || list[0].State != jobs.Done {
		t.Errorf("they ended as %+v", list)
	}
}

// TestUnkept: a job whose process could not keep what it found is done, and its message has that with the reason.
func TestUnkept(t *testing.T) {
	q := &jobs.Queue{Program: "sh", Now: time.Now}
	add(t, q, shell(jobs.Ask, "a", `echo "note: it is not kept with the run: read-only" >&2; echo "the team: 42"`))
	add(t, q, shell(jobs.Ask, "a", `echo "the team: 42"`))
	list := until(t, q, "both are done", func(l []jobs.Job) bool { return l[0].State == jobs.Done && l[1].State == jobs.Done })
	if m := list[0].Message; !strings.Contains(m, "not kept") || !strings.Contains(m, "read-only") || !strings.Contains(m, "the team: 42") || list[1].Message != "" {
		t.Errorf("%q and %q", m, list[1].Message)
	}
}

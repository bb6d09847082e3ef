package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program makes this test's own binary the program, with a behaviour.
func program(t *testing.T, behaviour ...string) *Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Command: append([]string{self}, behaviour...), Deadline: time.Minute}
	t.Cleanup(func() { p.Close() })
	return p
}

func requests(n int, padding string) (list []json.RawMessage) {
	for i := range n {
		list = append(list, fmt.Appendf(nil, `{"n":%d,"text":%q}`, i, padding))
	}
	return list
}

func ask(t *testing.T, p *Program, n int) []Reply {
	t.Helper()
	replies, err := p.Ask(t.Context(), requests(n, "x"))
	if err != nil || len(replies) != n {
		t.Fatalf("%d replies, %v", len(replies), err)
	}
	return replies
}

// wantAnswers fails unless every request has its own answer.
func wantAnswers(t *testing.T, p *Program, replies []Reply, first int) {
	t.Helper()
	for i, r := range replies {
		var got struct{ ID, Score int }
		if err := json.Unmarshal(r.Body, &got); r.Err != nil || err != nil || got.ID != first+i || got.Score != 2*(first+i) {
			t.Errorf("reply %d of %v: %s, %v", i, p.Command[1:], r.Body, r.Err)
		}
	}
}

// wantErrors fails unless every request has an error with that text.
func wantErrors(t *testing.T, p *Program, replies []Reply, want string) {
	t.Helper()
	for i, r := range replies {
		if r.Err == nil || r.Body != nil || !strings.Contains(r.Err.Error(), want) {
			t.Errorf("reply %d of %v: %s, error %v, want one with %q", i, p.Command[1:], r.Body, r.Err, want)
		}
	}
}

// TestAnswers: replies belong to requests by their id, whatever their order, and one process answers batch after batch.
func TestAnswers(t *testing.T) {
	for _, behaviour := range []string{"answer", "backwards", "blank lines"} {
		p := program(t, behaviour)
		wantAnswers(t, p, ask(t, p, 3), 1)
		if behaviour == "answer" {
			first := p.process
			wantAnswers(t, p, ask(t, p, 5), 4)
			if p.process != first {
				t.Error("a program that answers was started again")
			}
		}
	}
}

// TestPrograms: what a program does wrong is the error of what it has not answered, and says what it was.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		behaviour []string
		deadline  time.Duration
		want      string
	}{
		{[]string{"never"}, 100 * time.Millisecond, "no answer within 100ms"},
		{[]string{"deaf"}, 100 * time.Millisecond, "no answer within 100ms"},
		{[]string{"close stdin"}, 100 * time.Millisecond, "no answer within 100ms"},
		{[]string{"trickle"}, 100 * time.Millisecond, "no answer within 100ms"},
		{[]string{"close stdout"}, time.Minute, "it ended while answers were waiting"},
		{[]string{"die"}, time.Minute, "(exit status 3), after these words on stderr:\nno more\nmemory"},
		{[]string{"say no"}, time.Minute, "is not for me"},
		{[]string{"endless line"}, time.Minute, "token too long"},
		{[]string{"print", "hello"}, time.Minute, `it wrote "hello", which is no JSON object`},
		{[]string{"print", `[{"id":1}]`}, time.Minute, "which is no JSON object"},
		{[]string{"print", `{"score":1}`}, time.Minute, `which has no "id"`},
		{[]string{"print", `{"id":99}`}, time.Minute, "it answered 99, which it was not asked"},
		{[]string{"print", "{\"id\":1,\"text\":\"caf\xc3\"}"}, time.Minute, "it is not UTF-8"},
		{[]string{"print", `{"id":1,"text":"\ud83d"}`}, time.Minute, "half of a surrogate pair"},
		{[]string{"print", strings.Repeat(`{"id":`, 1<<14)}, time.Minute, "which is no JSON object"},
		{[]string{"print", `{"id":9223372036854775808}`}, time.Minute, "which is no JSON object"},
	} {
		p := program(t, c.behaviour...)
		p.Deadline, p.Retries = c.deadline, 1
		wantErrors(t, p, ask(t, p, 3), c.want)
	}
	p := &Program{Command: []string{filepath.Join(t.TempDir(), "none")}, Deadline: time.Minute}
	wantErrors(t, p, ask(t, p, 1), "start it: ")
}

// TestLateErrors: what was answered before a program went wrong stays answered.
func TestLateErrors(t *testing.T) {
	p := program(t, "answer, die")
	replies := ask(t, p, 3)
	wantAnswers(t, p, replies[:1], 1)
	wantErrors(t, p, replies[1:], "it ended while answers were waiting")

	p = program(t, "twice")
	replies = ask(t, p, 3)
	wantAnswers(t, p, replies[:1], 1)
	wantErrors(t, p, replies[1:], "it answered 1, which it was not asked, or has answered already")

	p = program(t, "no line break") // its last words count all the same
	if replies = ask(t, p, 3); replies[0].Err != nil || string(replies[0].Body) != `{"id":1}` {
		t.Errorf("%s, %v", replies[0].Body, replies[0].Err)
	}
}

// TestSecondStart: a program that dies is started again, and asked what it has not answered, and nothing else.
func TestSecondStart(t *testing.T) {
	note := filepath.Join(t.TempDir(), "asked")
	p := program(t, "die once", note)
	p.Retries = 1
	wantAnswers(t, p, ask(t, p, 4), 1)
	if asked, err := os.ReadFile(note); string(asked) != "1\n2\n3\n4\n" {
		t.Errorf("asked %q, %v", asked, err)
	}
}

// TestOneOfMany: a request that ends the program, or that it is silent about, does not take the others along.
func TestOneOfMany(t *testing.T) {
	for behaviour, want := range map[string]string{"die at one": "exit status 3", "silent at one": "no answer within 500ms"} {
		p := program(t, behaviour, "3")
		p.Deadline, p.Retries = 500*time.Millisecond, 1
		replies := ask(t, p, 6)
		wantAnswers(t, p, replies[:2], 1)
		wantErrors(t, p, replies[2:3], want)
		wantAnswers(t, p, replies[3:], 4)
	}
}

// TestDeathBetweenBatches: a program that ended after its answers is started again for the next batch.
func TestDeathBetweenBatches(t *testing.T) {
	p := program(t, "answer")
	p.Retries = 1
	wantAnswers(t, p, ask(t, p, 2), 1)
	if err := p.process.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, p, ask(t, p, 2), 3)
}

// TestCheck: a reply that the caller cannot read is the program's fault.
func TestCheck(t *testing.T) {
	p := program(t, "answer")
	p.Check = func(reply []byte) error {
		if strings.Contains(string(reply), `"id":2,`) {
			return errors.New("the score is no share")
		}
		return nil
	}
	replies := ask(t, p, 2)
	wantAnswers(t, p, replies[:1], 1)
	wantErrors(t, p, replies[1:], "the score is no share")
}

// TestSteadyAnswers: the deadline is that of silence, not that of a batch.
func TestSteadyAnswers(t *testing.T) {
	p := program(t, "steadily")
	p.Deadline = time.Second
	wantAnswers(t, p, ask(t, p, 12), 1)
}

// TestAnswersBeforeRequests: a program may wait with reading until its answers are taken, however much that is.
func TestAnswersBeforeRequests(t *testing.T) {
	p := program(t, "answer first")
	p.Deadline = 10 * time.Second
	replies, err := p.Ask(t.Context(), requests(manyRequests, strings.Repeat("y", 4096)))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range replies {
		if r.Err != nil || len(r.Body) < 4096 {
			t.Fatalf("reply %d: %d bytes, %v", i, len(r.Body), r.Err)
		}
	}
}

// TestCancel: the end of the context ends waiting and the program.
func TestCancel(t *testing.T) {
	p := program(t, "never")
	p.Retries = 5
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Ask(ctx, requests(1, "x")); !errors.Is(err, context.DeadlineExceeded) || p.process != nil {
		t.Errorf("error %v, process %v", err, p.process)
	}
}

// TestClose: closing ends the program, also one that does not read, and may be done twice.
func TestClose(t *testing.T) {
	p := program(t, "answer")
	ask(t, p, 1)
	process := p.process
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if process.cmd.ProcessState == nil {
		t.Error("the program is still there")
	}
	wantAnswers(t, p, ask(t, p, 1), 2) // and the next batch starts another
}

// TestChildLeftBehind: a program that dies is not waited for longer because a child of it holds its output and its stderr.
func TestChildLeftBehind(t *testing.T) {
	note := filepath.Join(t.TempDir(), "child")
	p := program(t, "leave a child", note)
	p.Deadline = time.Second
	start := time.Now()
	wantErrors(t, p, ask(t, p, 1), "no answer within 1s")
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it was waited for %v", took)
	}
	var pid int
	if data, err := os.ReadFile(note); err != nil {
		t.Error(err)
	} else if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Error(err)
	}
	if child, err := os.FindProcess(pid); err == nil {
		_ = child.Kill()
	}
}

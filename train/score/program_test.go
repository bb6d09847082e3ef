package score

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"parley/rl/verifier"
	"parley/task"
)

// TestMain makes the test's own binary the program that is asked, where the environment says how it behaves.
func TestMain(m *testing.M) {
	if how := os.Getenv("TEST_VERIFIER"); how != "" {
		behave(how)
		return
	}
	os.Exit(m.Run())
}

// behave scores answers by their length, up to a fault. A file marks that the fault has happened once.
func behave(how string) {
	fault, marker, _ := strings.Cut(how, " ")
	_, err := os.Stat(marker)
	again := marker != "" && err == nil
	lines := bufio.NewScanner(os.Stdin)
	for n := 0; lines.Scan(); n++ {
		var q struct {
			ID     int    `json:"id"`
			Answer string `json:"answer"`
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if n == 2 && !again {
			if marker != "" {
				os.WriteFile(marker, nil, 0o600)
			}
			switch fault {
			case "dies":
				fmt.Fprintln(os.Stderr, "out of\nmemory")
				os.Exit(3)
			case "sleeps":
				time.Sleep(time.Hour)
			case "babbles":
				fmt.Println("loading the model ...")
			case "stranger":
				fmt.Println(`{"id":-1,"score":0.5}`)
			case "nan":
				fmt.Printf("{\"id\":%d,\"score\":NaN}\n", q.ID)
			case "floods":
				fmt.Println(strings.Repeat("x", 2<<20))
			}
		}
		switch {
		case fault == "refuses" && n == 2:
			fmt.Printf("{\"id\":%d,\"error\":\"too hard\"}\n", q.ID)
		case fault == "exceeds" && n == 2:
			fmt.Printf("{\"id\":%d,\"score\":1.5}\n", q.ID)
		default:
			fmt.Printf("{\"id\":%d,\"score\":%g}\n", q.ID, float64(len(q.Answer))/10)
		}
	}
}

func programAnswers(n int) []verifier.Answer {
	out := make([]verifier.Answer, n)
	for i := range out {
		out[i] = verifier.Answer{Problem: task.Problem{Question: "q"}, Shown: strings.Repeat("x", i%10)}
	}
	return out
}

// ask scores answers with the test's program.
func ask(t *testing.T, how string, deadline time.Duration, retries, n int) []verifier.Score {
	t.Helper()
	t.Setenv("TEST_VERIFIER", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram([]string{self}, deadline, retries)
	defer p.Close()
	scores, err := p.Score(t.Context(), programAnswers(n))
	if err != nil || len(scores) != n {
		t.Fatalf("%d scores, %v", len(scores), err)
	}
	return scores
}

func wantAll(t *testing.T, scores []verifier.Score) {
	t.Helper()
	for i, s := range scores {
		if s.Err != nil || math.Abs(s.P-float64(i%10)/10) > 1e-12 {
			t.Errorf("answer %d: %+v", i, s)
		}
	}
}

// TestProgramScores: many answers at once, more than pipes hold, come back in order.
func TestProgramScores(t *testing.T) {
	wantAll(t, ask(t, "well", time.Minute, 0, 20000))
}

// TestFaultsAreRetried: a program that dies, hangs or writes what it should not is started again, and is asked only what it
// has not answered.
func TestFaultsAreRetried(t *testing.T) {
	for _, fault := range []string{"dies", "sleeps", "babbles", "stranger", "nan", "floods"} {
		t.Run(fault, func(t *testing.T) {
			wantAll(t, ask(t, fault+" "+t.TempDir()+"/marker", time.Second, 1, 6))
		})
	}
}

// TestFaultsThatStay: without a score there is an error, never a number, and what was answered before it is kept.
func TestFaultsThatStay(t *testing.T) {
	for fault, want := range map[string]string{
		"dies": "exit status 3), after these words on stderr:\nout of\nmemory", "sleeps": "no answer within 3s", "babbles": "loading the model",
		"stranger": "was not asked", "nan": "no JSON", "floods": "too long", "refuses": "too hard", "exceeds": "1.5",
	} {
		t.Run(fault, func(t *testing.T) {
			patience := time.Minute
			if fault == "sleeps" { // the others answer, however busy the machine is
				patience = 3 * time.Second
			}
			scores := ask(t, fault, patience, 0, 3)
			if scores[2].Err == nil || !strings.Contains(scores[2].Err.Error(), want) || scores[2].P != 0 {
				t.Errorf("%+v, want an error with %q", scores[2], want)
			}
			wantAll(t, scores[:2])
		})
	}
}

// TestNoProgram: one that cannot be started gives no scores.
func TestNoProgram(t *testing.T) {
	p := newProgram([]string{"./no-such-program"}, time.Second, 1)
	scores, err := p.Score(t.Context(), programAnswers(1))
	if err != nil || scores[0].Err == nil {
		t.Errorf("%+v, %v", scores, err)
	}
}

// TestCancel: the end of the caller's context ends the wait.
func TestCancel(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	t.Setenv("TEST_VERIFIER", "sleeps")
	self, _ := os.Executable()
	p := newProgram([]string{self}, time.Hour, 3)
	defer p.Close()
	if _, err := p.Score(ctx, programAnswers(6)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A score is a probability, or there is an error, whatever a program writes.
func FuzzScore(f *testing.F) {
	f.Add([]byte(`{"id":1,"score":0.5}`))
	f.Add([]byte(`{"id":1,"score":1e400}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if hasScore(line) != nil {
			return
		}
		if s := scoreOf(line, nil); s.P < 0 || s.P > 1 || s.Err != nil && s.P != 0 {
			t.Fatalf("%+v", s)
		}
	})
}

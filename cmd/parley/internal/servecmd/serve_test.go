package servecmd

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/cmd/parley/internal/cli"
)

// TestDrain: a server that is interrupted says how many answers it waits for, waits for them, and says nothing where there are none.
func TestDrain(t *testing.T) {
	for _, asked := range []bool{true, false} {
		ctx, interrupt := context.WithCancel(t.Context())
		var said bytes.Buffer
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		begun, drained, ended := make(chan bool), make(chan bool), make(chan error, 1)
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			begun <- true
			<-drained
			_, _ = w.Write([]byte("answer"))
		})
		c := &Serve{Drain: time.Minute}
		go func() {
			ended <- c.live(&cli.App{Ctx: ctx, Stderr: &said}, listener, handler, func() { close(drained) })
		}()
		answers := make(chan int, 1)
		if asked {
			go func() {
				answer, err := http.Get("http://" + listener.Addr().String())
				if err != nil {
					answers <- 0
					return
				}
				answer.Body.Close()
				answers <- answer.StatusCode
			}()
			<-begun
		}
		interrupt()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if asked {
			if status := <-answers; status != http.StatusOK {
				t.Errorf("the answer that had begun has status %d", status)
			}
		}
		if want := "waiting up to 1m0s for answers that have begun: 1; "; strings.HasPrefix(said.String(), want) != asked || !asked && said.Len() > 0 {
			t.Errorf("asked %v: it says %q", asked, said.String())
		}
	}
}

// TestAnnounce: of agents that programs ask, the two variables are said that make a program ask them; a token that the user has is not repeated.
func TestAnnounce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	at := "http://" + listener.Addr().String()
	with := program{names: map[string][]string{"a/agent-writer": {"writer"}}}
	for _, c := range []struct {
		program program
		made    bool
		want    string
	}{
		{program{}, false, "listening on " + at + "\n"},
		{with, true, "token abc\nlistening on " + at + "\na program runs unchanged with\nOPENAI_BASE_URL=" + at + "/v1\nOPENAI_API_KEY=abc\n"},
		{with, false, "listening on " + at + "\na program runs unchanged with\nOPENAI_BASE_URL=" + at + "/v1\nOPENAI_API_KEY=$PARLEY_TOKEN\n"},
	} {
		var said bytes.Buffer
		var out strings.Builder
		if err := (&Serve{program: c.program, JSON: c.made}).announce(&cli.App{Stdout: &out, Stderr: &said}, listener, "abc", c.made); err != nil {
			t.Fatal(err)
		}
		if want := `{"token":"abc","url":"` + at + `"}` + "\n"; c.made && out.String() != want || !c.made && out.Len() > 0 {
			t.Errorf("stdout %q", &out)
		}
		if said.String() != c.want {
			t.Errorf("it says %q, want %q", said.String(), c.want)
		}
	}
}

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestConvertKeepsOrder: whatever lines come together, answers have the order of the lines.
func TestConvertKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.IntRange(0, 999), 0, 300).Draw(t, "numbers")
		var input, want strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&input, "%s%d\n", strings.Repeat("\n", n%3), n)
			fmt.Fprintf(&want, "%d\n", 2*n)
		}
		var stdout bytes.Buffer
		a := &App{Ctx: context.Background(), Stdout: &stdout}
		double := EachLine(func(n int) (int, error) { return 2 * n, nil })
		err := Convert(a, strings.NewReader(input.String()), func(line []byte) (int, error) { return strconv.Atoi(string(line)) }, double)
		if err != nil || stdout.String() != want.String() {
			t.Fatalf("got %q, %v, want %q", stdout.String(), err, want.String())
		}
	})
}

// TestConvertAnswersAtOnce: a program that waits for each answer before it writes the next line gets it.
func TestConvertAnswersAtOnce(t *testing.T) {
	in, question := io.Pipe()
	answer, out := io.Pipe()
	a := &App{Ctx: t.Context(), Stdout: out}
	done := make(chan error, 1)
	go func() {
		done <- Convert(a, in, func(line []byte) (string, error) { return string(line), nil }, EachLine(func(s string) (string, error) { return s + "!", nil }))
	}()
	r := bufio.NewReader(answer)
	for i := range 5 {
		fmt.Fprintf(question, "q%d\n", i)
		if got, err := r.ReadString('\n'); err != nil || got != fmt.Sprintf("\"q%d!\"\n", i) {
			t.Fatalf("question %d: %q, %v", i, got, err)
		}
	}
	question.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestConvertIsInterrupted: ^C ends the wait for a line.
func TestConvertIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, question := io.Pipe()
	defer question.Close()
	done := make(chan error, 1)
	parse := func(line []byte) (string, error) { return string(line), nil }
	go func() { _, err := ReadAll(&App{Ctx: ctx}, in, parse); done <- err }()
	stop()
	if err := <-done; exitCode(err) != exitInterrupted {
		t.Errorf("error %v, want one of an interrupt", err)
	}
}

// TestLinesAreInterrupted: ^C ends the wait for a line of stdin, and says what it was for.
func TestLinesAreInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, question := io.Pipe()
	defer question.Close()
	done := make(chan error, 1)
	heard := make(chan string)
	go func() {
		done <- (&App{Ctx: ctx, Stdin: in}).HearLines(func(line string) error { heard <- line; return nil })
	}()
	go func() { _, _ = io.WriteString(question, "one\n") }()
	if line := <-heard; line != "one" {
		t.Errorf("%q", line)
	}
	stop()
	if err := <-done; exitCode(err) != exitInterrupted || !strings.Contains(err.Error(), "waiting for the next line of the input") {
		t.Errorf("error %v, want one of an interrupt", err)
	}
}

// TestConvertErrors: work that fails, input that fails, output that fails.
func TestConvertErrors(t *testing.T) {
	broken := errors.New("broken")
	parse := func(line []byte) (string, error) { return string(line), nil }
	answer := EachLine(func(s string) (string, error) { return s, nil })
	fail := EachLine(func(string) (string, error) { return "", broken })
	a := &App{Ctx: t.Context(), Stdout: io.Discard}
	if err := Convert(a, strings.NewReader("a\n"), parse, fail); !errors.Is(err, broken) {
		t.Errorf("work: %v", err)
	}
	cut := io.MultiReader(strings.NewReader("a\nb\n"), &failing{broken})
	if err := Convert(a, cut, parse, answer); err == nil || !strings.Contains(err.Error(), "input line 3: broken") {
		t.Errorf("input: %v", err)
	}
	a.Stdout = &failing{broken}
	if err := Convert(a, strings.NewReader("a\n"), parse, answer); !errors.Is(err, broken) {
		t.Errorf("output: %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error)  { return 0, f.err }
func (f *failing) Write([]byte) (int, error) { return 0, f.err }

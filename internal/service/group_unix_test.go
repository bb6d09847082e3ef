//go:build unix

package service

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// startSelf starts this binary as the leader of a group, with a behaviour.
func startSelf(t *testing.T, out *Lines, behaviour ...string) *Group {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start{Command: append([]string{self}, behaviour...), Dir: t.TempDir(), Env: append(os.Environ(), "WORD=hello"), Output: out}.Group()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	return g
}

// TestGroup: a program gets its folder, its environment and what it is told, and ends with what it has started.
func TestGroup(t *testing.T) {
	out := NewLines(9)
	g := startSelf(t, out, "of a group")
	g.Say([]byte("a line\n"), false)
	first, second := string(<-out.C()), string(<-out.C())
	if first != "a line" || !strings.HasPrefix(second, "hello ") {
		t.Fatalf("%q, %q", first, second)
	}
	var child int
	if _, err := fmt.Sscanf(string(<-out.C()), "%d", &child); err != nil {
		t.Fatal(err)
	}
	g.Stop()
	<-g.Ended()
	if there(child) {
		t.Errorf("process %d is still there", child)
	}
	if said := g.Errors(); said != "oh no" || g.Errors() != "" {
		t.Errorf("%q", said)
	}
}

// there says whether a process goes on: it may have ended and wait for its parent.
func there(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z ")) && syscall.Kill(pid, 0) == nil
}

// TestGroupEnds: how a program ended is known, with its last words.
func TestGroupEnds(t *testing.T) {
	g := startSelf(t, NewLines(9), "die")
	g.Say(nil, true)
	if err := g.Err(); err == nil || err.Error() != "it ended (exit status 3), after these words on stderr:\nno more\nmemory" {
		t.Error(err)
	}
	if _, err := (Start{Command: []string{filepath.Join(t.TempDir(), "none")}}).Group(); err == nil || !strings.HasPrefix(err.Error(), "start it: ") {
		t.Error(err)
	}
}

// TestDeathOfParent: where the system can, a program ends when the one that has started it is killed.
func TestDeathOfParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(t.TempDir(), "child")
	parent := exec.Command(self, "parent of a group", note)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	for child == 0 {
		data, _ := os.ReadFile(note)
		_, _ = fmt.Sscanf(string(data), "%d.", &child)
		time.Sleep(time.Millisecond)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if runtime.GOOS != "linux" {
		_ = syscall.Kill(child, syscall.SIGKILL)
		return
	}
	for there(child) { // else the test never ends
		time.Sleep(time.Millisecond)
	}
}

// TestWrittenLines: lines come whole, however they are written; what nobody takes is dropped, and nobody waits.
func TestWrittenLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLines(2)
		for _, part := range []string{"on", "e\n\n  two \nth", "ree\nfour\n", strings.Repeat("x", longestLine), "yyy\nlast\nhalf"} {
			if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
				t.Error(n, err)
			}
		}
		var got []string
		for len(l.C()) > 0 {
			got = append(got, string(<-l.C()))
		}
		if !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("%q", got)
		}
		_, _ = l.Write([]byte(strings.Repeat("x", longestLine) + "yyy\nlast\n"))
		if line := <-l.C(); len(line) != longestLine+1 {
			t.Errorf("%d bytes", len(line))
		}
		if line := <-l.C(); string(line) != "last" {
			t.Errorf("%q", line)
		}
		_, _ = l.Write([]byte("a\nb\nhalf"))
		l.Forget()
		_, _ = l.Write([]byte("whole\n"))
		if line := <-l.C(); string(line) != "whole" || len(l.C()) > 0 {
			t.Errorf("%q", line)
		}
	})
}

func init() {
	behaviours["stubborn"] = func([]string) {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(os.Getpid())
		time.Sleep(time.Hour)
	}
	behaviours["of a group"] = func([]string) {
		var a, b string
		_, _ = fmt.Scan(&a, &b)
		dir, _ := os.Getwd()
		fmt.Fprintln(os.Stderr, "oh no")
		fmt.Println(a, b)
		fmt.Println(os.Getenv("WORD"), dir)
		child := exec.Command(os.Args[0], "stubborn")
		child.Stdout = os.Stdout
		_ = child.Run()
	}
	behaviours["parent of a group"] = func(words []string) {
		g, err := Start{Command: []string{os.Args[0], "never"}}.Group()
		if err == nil {
			_ = os.WriteFile(words[0], fmt.Appendf(nil, "%d.", g.cmd.Process.Pid), 0o600)
		}
		<-g.Ended()
	}
}

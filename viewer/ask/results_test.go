package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"parley/internal/folder"
)

func asks(t *testing.T, dir string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := keep(t.Context(), dir, Result{Question: fmt.Sprint(i), Lines: []Line{}}); err != nil {
			t.Fatal(err)
		}
	}
}

func first(t *testing.T, dir string) (question string, n int) {
	t.Helper()
	list, _, err := Read(dir)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d questions, %v", len(list), err)
	}
	return list[0].Question, len(list)
}

// TestMostKept: the newest are kept, behind one that was cut off too, and a file of somebody else's is read up to the same bounds.
func TestMostKept(t *testing.T) {
	dir := t.TempDir()
	asks(t, dir, 0, mostKept-1)
	file := filepath.Join(dir, File)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(whole, `{"question":"torn`...), 0o644); err != nil {
		t.Fatal(err)
	}
	asks(t, dir, mostKept-1, mostKept)
	if question, n := first(t, dir); question != "0" || n != mostKept {
		t.Errorf("%d questions from %s on", n, question)
	}
	asks(t, dir, mostKept, mostKept+3)
	if question, n := first(t, dir); question != "3" || n != mostKept {
		t.Errorf("%d questions from %s on", n, question)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "torn") || strings.Count(string(data), "\n") != mostKept {
		t.Errorf("the file has %d lines, %v", strings.Count(string(data), "\n"), err)
	}
	long := `{"question":"` + strings.Repeat("x", mostBytes/3) + "\"}\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(long, 4)), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, damaged, err := Read(dir); err != nil || len(list) != 2 || damaged != 0 {
		t.Errorf("%d of 4 long questions are read, %d are damaged, %v", len(list), damaged, err)
	}
	asks(t, dir, 0, 1)
	if info, err := os.Stat(file); err != nil || info.Size() > mostBytes {
		t.Errorf("the file is %v, %v", info.Size(), err)
	}
	if _, n := first(t, dir); n != 3 {
		t.Errorf("%d questions are kept", n)
	}
}

// TestNoQuestion: what has no question is none, whatever else stands there.
func TestNoQuestion(t *testing.T) {
	dir := t.TempDir()
	const file = "null\n{}\n[]\n{\"lines\":[{\"turn\":-5}]}\n{\"question\":\"one\"}\n{\"question\":5}\n"
	if err := os.WriteFile(filepath.Join(dir, File), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, damaged, err := Read(dir); err != nil || len(list) != 1 || list[0].Question != "one" || damaged != 5 {
		t.Errorf("%+v, %d damaged, %v", list, damaged, err)
	}
}

// TestKeepOfMany: what many keep at a time all stays, while older ones go.
func TestKeepOfMany(t *testing.T) {
	dir := t.TempDir()
	asks(t, dir, 0, mostKept-10)
	const many = 30
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if err := keep(t.Context(), dir, Result{Question: fmt.Sprint("new ", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, _, err := Read(dir)
	if err != nil || len(list) != mostKept {
		t.Fatalf("%d questions, %v", len(list), err)
	}
	for _, r := range list[mostKept-many:] {
		if !strings.HasPrefix(r.Question, "new ") {
			t.Errorf("%s stands among the new ones", r.Question)
		}
	}
}

// TestKeepGivesUp: who is stopped does not wait for another process that keeps its answers.
func TestKeepGivesUp(t *testing.T) {
	dir := t.TempDir()
	held, err := folder.Lock(filepath.Join(dir, lock))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := keep(ctx, dir, Result{Question: "?"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestShort: texts are cut between characters, and a dialogue has an end.
func TestShort(t *testing.T) {
	var r Result
	long := strings.Repeat("ä€", longestText)
	total := 0
	for range 100 {
		kept, left := r.short(long)
		if !utf8.ValidString(kept) || len(kept) > longestText || len(kept)+left != len(long) {
			t.Fatalf("%d bytes and %d left", len(kept), left)
		}
		total += len(kept)
	}
	if total > longestDialogue || total < longestDialogue/2 {
		t.Errorf("%d bytes are kept of a dialogue", total)
	}
}

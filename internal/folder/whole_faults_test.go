package folder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// parts fills a folder with so many files, one after the other.
func parts(n int, pause time.Duration) func(tmp string) error {
	return func(tmp string) error {
		for i := range n {
			if err := WriteFile(filepath.Join(tmp, fmt.Sprint(i)), []byte("text")); err != nil {
				return err
			}
			time.Sleep(pause)
		}
		return nil
	}
}

// TestReaders: whoever sees the folder sees all of it.
func TestReaders(t *testing.T) {
	const n = 20
	dir := filepath.Join(t.TempDir(), "folder")
	written := make(chan error, 1)
	go func() { written <- Whole(dir, parts(n, time.Millisecond)) }()
	for seen := false; !seen; {
		list, err := os.ReadDir(dir)
		if seen = err == nil; seen && len(list) != n {
			t.Fatalf("a reader sees %d of %d files", len(list), n)
		}
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			written <- nil
		default:
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o555 != 0o555 {
		t.Errorf("others cannot read the folder: %v, %v", info.Mode(), err)
	}
}

// TestTwoWriters: of several who write one folder one succeeds, and its content is whole; the others leave nothing.
func TestTwoWriters(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "folder")
	errs := make([]error, 8)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = Whole(dir, parts(3, time.Millisecond)) })
	}
	wait.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		}
	}
	if list, err := os.ReadDir(dir); won != 1 || len(list) != 3 || err != nil {
		t.Errorf("%d writers succeeded, the folder has %d files, %v", won, len(list), err)
	}
	if list, _ := os.ReadDir(parent); len(list) != 1 {
		t.Errorf("beside the folder: %v", list)
	}
}

// TestKilled kills a process in mid-write: the folder is not there, and can be written.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("FOLDER_TEST_DIR"); dir != "" {
		fmt.Println(Whole(dir, func(tmp string) error {
			fmt.Println("writing", parts(3, 0)(tmp))
			time.Sleep(time.Hour)
			return nil
		}))
		return
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "folder")
	writer := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	writer.Env = append(os.Environ(), "FOLDER_TEST_DIR="+dir)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, new(string), new(string)); err != nil {
		t.Errorf("the writer has not come to it: %v", err)
	}
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Wait() // it was killed
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a folder is there: %v", err)
	}
	list, err := os.ReadDir(parent)
	if err != nil || len(list) != 1 || !strings.HasPrefix(list[0].Name(), ".folder.tmp-") {
		t.Errorf("left behind: %v, %v; want one hidden folder", list, err)
	}
	if err := Whole(dir, parts(2, 0)); err != nil {
		t.Errorf("after a killed writer: %v", err)
	}
}

// TestNoPlace: where the folder cannot be made, the error names what is in the way, and nothing was called to fill it.
func TestNoPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := WriteFile(file, []byte("old")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "folder"), filepath.Join(file, "deep", "folder")} {
		err := Whole(dir, func(string) error { t.Errorf("%s is being filled", dir); return nil })
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	dangling := filepath.Join(filepath.Dir(file), "link")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}
	if err := Whole(dangling, parts(1, 0)); err == nil {
		t.Error("a link was replaced")
	}
	if data, err := os.ReadFile(file); string(data) != "old" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}

// TestFileFaults: a file that cannot be written is an error, whether it cannot be made or the disk is full.
func TestFileFaults(t *testing.T) {
	if err := WriteFile(filepath.Join(t.TempDir(), "none", "file"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	const full = "/dev/full" // Linux has it
	if _, err := os.Stat(full); err == nil {
		if err := WriteFile(full, []byte("text")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v", err)
		}
	}
}

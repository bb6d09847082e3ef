//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNoFile: names of what is no file are refused, in every way that a file is opened, and none of them as a file that is missing.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		unix.Mkfifo(path("pipe"), 0o600), os.Mkdir(path("dir"), 0o700), os.Symlink("/dev/zero", path("device")), os.Symlink("gone", path("link")),
		os.Symlink("pipe", path("to-pipe")), os.WriteFile(path("file"), []byte("text"), 0o600), os.Symlink("file", path("to-file")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"pipe": "named pipe", "to-pipe": "named pipe", "dir": "folder", "device": "device", "link": "link to gone", "file": "", "to-file": "",
	} {
		_, readErr := Read(path(name))
		_, fromDir := fs.ReadFile(Dir(dir, 100), name)
		file, openErr := Open(path(name))
		if openErr == nil {
			file.Close()
		}
		for _, err := range []error{readErr, fromDir, openErr} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist)) {
				t.Errorf("%s: the error is %v, want %q", name, err, want)
			}
		}
	}
	if _, err := Read(path("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	if _, err := fs.ReadFile(Dir(dir, 3), "file"); err == nil || !strings.Contains(err.Error(), "limit of 3") {
		t.Errorf("a file of 4 bytes, where 3 are allowed: %v", err)
	}
}

// TestCheckPasses: what files of models and of data begin with is none of the stubs.
func TestCheckPasses(t *testing.T) {
	for _, text := range []string{
		"{}", `{"model_type":"llama"}`, `{"errors_in_question":1}`, `{"message":"hi","label":1}`, "<|im_start|>", "{% for m in messages %}", "GGUF\x03", "PAR1", "question,answer\n",
		"<think>", `[{"error":"x"}]`, strings.Repeat("x", 1<<12),
	} {
		if err := Check("f", []byte(text)); err != nil {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"", "{", `{"error":1}`, "<!DOCTYPE html>", "version https://git-lfs", "<?xml?><Error>", "\xef\xbb\xbf<html>", "PK\x03\x04"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mine := errors.New("mine")
		if err := Check("name", data); err != nil && !strings.Contains(err.Error(), "name") {
			t.Errorf("%v does not name the file", err)
		}
		if Explain(data, nil) != nil || Explain(data, mine) == nil {
			t.Error("an error is made or lost")
		}
	})
}

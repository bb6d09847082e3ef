package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/folder"
	"parley/runs/store"
)

func newRun(t *testing.T) *Run {
	t.Helper()
	r, err := Create(filepath.Join(t.TempDir(), "r"), Meta{Name: "r", Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, r *Run, name string) string {
	t.Helper()
	data, err := r.ReadFile(name)
	must(t, err)
	return string(data)
}

// TestTornMetrics cuts metrics.jsonl after every byte, as a killed process or a power cut may leave it, and puts there what else disks
// leave: readers see whole lines, and the next append goes on after the last of them.
func TestTornMetrics(t *testing.T) {
	r := newRun(t)
	const first, second = `{"update":1,"text":"a\n"}` + "\n", `{"update":2}` + "\n"
	path := filepath.Join(r.dir, "metrics.jsonl")
	var torn []string
	for n := range first + second {
		torn = append(torn, (first + second)[:n])
	}
	for _, junk := range []string{"\x00\x00\x00\x00", "{\x00\x00\n", `{"update":2`, "{}\n", "null\n", `{"update":"2"}` + "\n", `{"update":1}` + "\n", "\n", `{"update":3}{"update":4}` + "\n"} {
		torn = append(torn, first+junk)
	}
	for _, data := range torn {
		must(t, r.metrics.Close())
		must(t, os.WriteFile(path, []byte(data), 0o644))
		want := ""
		if strings.HasPrefix(data, first) {
			want = first
		}
		read := ""
		must(t, ReadLines(r.dir, "metrics.jsonl", func(line []byte) error { read += string(line) + "\n"; return nil }))
		if read != want {
			t.Errorf("of %q readers see %q", data, read)
		}
		must(t, r.AppendMetrics(2, update{2}))
		if got := content(t, r, "metrics.jsonl"); got != want+second {
			t.Errorf("of %q an append makes %q", data, got)
		}
	}
}

// TestFailedReplacement: where a folder cannot be put in the place of another, that one is still there: what was there before is
// unharmed, as [WriteError] says.
func TestFailedReplacement(t *testing.T) {
	r := newRun(t)
	fill := func(text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, "adapter"), []byte(text), 0o644) }
	}
	must(t, r.WriteDir("adapters", fill("old")))
	must(t, r.Checkpoint(1, update{1}, fill("old")))
	broken := errors.New("no more names")
	r.Disk = &fullDisk{OS: store.OS{Folder: r.Folder}, room: 1 << 20, broken: broken}
	var failed *WriteError
	if err := r.WriteDir("adapters", fill("new")); !errors.Is(err, broken) || !errors.As(err, &failed) || failed.Dir != r.dir {
		t.Errorf("error %v", err)
	}
	if err := r.Checkpoint(1, update{1}, fill("new")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	r.Disk = store.OS{Folder: r.Folder}
	for _, name := range []string{"adapters/adapter", "checkpoints/000001/adapter"} {
		if data, err := r.ReadFile(name); string(data) != "old" {
			t.Errorf("after a failed write %s holds %q, %v", name, data, err)
		}
	}
	for _, dir := range []string{".", "checkpoints"} {
		left, err := filepath.Glob(filepath.Join(r.dir, dir, store.TempPrefix+"*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	must(t, r.WriteDir("adapters", fill("new")))
	if got := content(t, r, "adapters/adapter"); got != "new" {
		t.Errorf("then it holds %q", got)
	}
}

// TestInterruptedWriteDir is a process that died at each step of a replacement: what it left is in nobody's way.
func TestInterruptedWriteDir(t *testing.T) {
	for name, leave := range map[string]func(dir string) error{
		"half of the new": func(dir string) error { return fillFolder(filepath.Join(dir, store.TempPrefix+"adapters"), "half") },
		"the old, moved aside": func(dir string) error {
			return os.Rename(filepath.Join(dir, "adapters"), filepath.Join(dir, store.TempPrefix+"old-adapters"))
		},
		"the old, not yet gone": func(dir string) error {
			return fillFolder(filepath.Join(dir, store.TempPrefix+"old-adapters"), "older")
		},
		"the old and half of it": func(dir string) error {
			return errors.Join(fillFolder(filepath.Join(dir, store.TempPrefix+"old-adapters"), "older"), fillFolder(filepath.Join(dir, store.TempPrefix+"adapters"), "half"))
		},
	} {
		r := newRun(t)
		must(t, fillFolder(filepath.Join(r.dir, "adapters"), "old"))
		must(t, leave(r.dir))
		must(t, r.WriteDir("adapters", func(dir string) error { return fillFolder(dir, "new") }))
		list, err := os.ReadDir(filepath.Join(r.dir, "adapters"))
		if err != nil || len(list) != 2 || content(t, r, "adapters/weights") != "new" {
			t.Errorf("%s: the folder holds %v, %v", name, list, err)
		}
		if left, _ := filepath.Glob(filepath.Join(r.dir, store.TempPrefix+"*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func fillFolder(dir, text string) error {
	return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "weights"), []byte(text), 0o644))
}

// TestFullDiskEverywhere fills the disk after every number of bytes in what is written in one step: the old content or the new is
// there, and trace.json is JSON all the while.
func TestFullDiskEverywhere(t *testing.T) {
	write := func(r *Run, n int) error {
		return errors.Join(
			r.AppendTrace(n, traceOf(n, "a", "b")),
			r.WriteDir("adapters", func(string) error {
				return r.WriteSynced(store.TempPrefix+"adapters/weights", store.Bytes(fmt.Appendf(nil, "weights %d", n)))
			}),
			r.WriteReport(Report{Updates: n}, fmt.Sprint("# Report ", n), map[string][]byte{"curve.png": fmt.Append(nil, n)}))
	}
	for room := 0; ; room += 13 {
		r := newRun(t)
		must(t, write(r, 1))
		r.Disk = &fullDisk{OS: store.OS{Folder: r.Folder}, room: room}
		must(t, r.trace.Close())
		failed := write(r, 2)
		if failed != nil && !errors.Is(failed, syscall.ENOSPC) {
			t.Fatalf("room %d: %v", room, failed)
		}
		for name, either := range map[string][2]string{"adapters/weights": {"weights 1", "weights 2"}, "report.md": {"# Report 1", "# Report 2"}, "curve.png": {"1", "2"}} {
			if got := content(t, r, name); got != either[0] && got != either[1] {
				t.Fatalf("room %d: %s holds %q", room, name, got)
			}
		}
		if report, err := ReadReport(r.dir); err != nil || report.Updates != 1 && report.Updates != 2 {
			t.Fatalf("room %d: report %+v, %v", room, report, err)
		}
		if trace := content(t, r, "trace.json"); !json.Valid([]byte(trace)) {
			t.Errorf("room %d: trace.json is no JSON: %q", room, trace)
		}
		r.Disk = store.OS{Folder: r.Folder}
		must(t, r.trace.Close())
		must(t, write(r, 3))
		if report, err := ReadReport(r.dir); err != nil || report.Updates != 3 || content(t, r, "adapters/weights") != "weights 3" {
			t.Fatalf("room %d: with room again: %+v, %v", room, report, err)
		}
		must(t, r.Close())
		if failed == nil {
			return
		}
	}
}

// TestTwoCreators: of two processes that create a run in one folder, the second finds the first's, even where it looked before.
func TestTwoCreators(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	must(t, os.MkdirAll(dir, 0o755))
	first, err := takeLock(dir) // the first has the lock and has written nothing yet
	must(t, err)
	second := make(chan error)
	go func() {
		r, err := Create(dir, Meta{Name: "second"})
		if err == nil {
			r.Close()
		}
		second <- err
	}()
	time.Sleep(folder.LockPatience / 5)
	must(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"format":1,"name":"first"}`), 0o644))
	must(t, first.Close())
	if err := <-second; err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("the second: %v", err)
	}
	if meta, err := Read(dir); err != nil || meta.Name != "first" {
		t.Errorf("the run is %q, %v", meta.Name, err)
	}
}

// TestInterruptedCreate: a process that died before it had written run.json leaves a folder that can be used.
func TestInterruptedCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	for _, left := range []string{"lock", store.TempPrefix + "run.json"} {
		must(t, os.MkdirAll(dir, 0o755))
		must(t, os.WriteFile(filepath.Join(dir, left), []byte("1234\n"), 0o644))
	}
	r, err := Create(dir, Meta{Name: "again"})
	must(t, err)
	must(t, r.Close())
	if meta, err := Read(dir); err != nil || meta.Name != "again" {
		t.Errorf("the run is %q, %v", meta.Name, err)
	}
	other := t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o644))
	if _, err := Create(other, Meta{}); err == nil {
		t.Error("a run was made in a folder with a file")
	}
	if list, _ := os.ReadDir(other); len(list) != 1 {
		t.Errorf("the folder of somebody else holds %v", list)
	}
}

// TestReadersBesideAWriter: another process may read a run while it is written, and sees whole lines and whole files.
func TestReadersBesideAWriter(t *testing.T) {
	if dir := os.Getenv("RUNS_TEST_WRITE"); dir != "" {
		writeOn(t, dir)
		return
	}
	r := newRun(t)
	must(t, r.AppendMetrics(1, update{1}))
	must(t, r.WriteReport(Report{Updates: 1, Task: strings.Repeat("x", 5000)}, "", nil))
	must(t, r.Close())
	writer := exec.Command(os.Args[0], "-test.run=^TestReadersBesideAWriter$")
	writer.Env = append(os.Environ(), "RUNS_TEST_WRITE="+r.dir)
	var said bytes.Buffer
	writer.Stdout, writer.Stderr = &said, &said
	must(t, writer.Start())
	ended := make(chan error, 1)
	go func() { ended <- writer.Wait() }()
	last := 0
	for reading := true; reading; {
		select {
		case err := <-ended:
			if reading = false; err != nil {
				t.Fatalf("%v: %s", err, said.String())
			}
		default:
		}
		s, err := Summarise(r.dir)
		report, damage := ReadReport(r.dir)
		if err != nil || damage != nil || s.State == Damaged || s.Updates < last || len(report.Task) != 5000 {
			t.Fatalf("a reader sees %+v, %v after update %d", s, err, last)
		}
		last = s.Updates
	}
	if last != 300 {
		t.Errorf("the last update is %d", last)
	}
}

// writeOn is the writer of TestReadersBesideAWriter.
func writeOn(t *testing.T, dir string) {
	r, err := Open(dir)
	must(t, err)
	for n := 2; n <= 300; n++ {
		must(t, r.AppendMetrics(n, map[string]any{"update": n, "text": strings.Repeat("y", n)}))
		if n%10 == 0 {
			must(t, r.WriteReport(Report{Updates: n, Task: strings.Repeat("z", 5000)}, "", nil))
		}
	}
	must(t, r.Close())
}

// TestFreeDirEnds: a folder that cannot even be looked for is nobody's, and making it says what is wrong.
func TestFreeDirEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for name, root := range map[string]string{"root is a file": file, "the name is too long": filepath.Join(filepath.Dir(file), strings.Repeat("x", 300))} {
		found := make(chan string, 1)
		go func() { found <- FreeDir(root, "a", 1) }()
		select {
		case dir := <-found:
			if _, err := Create(dir, Meta{}); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s was made, %v", name, dir, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: FreeDir looks for ever", name)
		}
	}
}

package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"parley/runs/store"
)

// A fullDisk has room for so many bytes, then for nothing. broken makes renames and opening fail instead.
type fullDisk struct {
	store.OS
	room   int
	broken error
}

func (d *fullDisk) Create(name string) (store.File, error) {
	f, err := d.OS.Create(name)
	return &fullFile{f, d, d.Path(name)}, err
}

func (d *fullDisk) Append(name string) (store.File, error) {
	f, err := d.OS.Append(name)
	return &fullFile{f, d, d.Path(name)}, err
}

func (d *fullDisk) Rename(from, to string) error {
	if d.broken != nil {
		return d.broken
	}
	return d.OS.Rename(from, to)
}

type fullFile struct {
	store.File
	disk *fullDisk
	name string
}

// Truncate gives room back.
func (f *fullFile) Truncate(size int64) error {
	info, err := os.Stat(f.name)
	if err == nil {
		err = f.File.Truncate(size)
	}
	if err == nil {
		f.disk.room += int(info.Size() - size)
	}
	return err
}

func (f *fullFile) Write(p []byte) (int, error) {
	n := min(len(p), f.disk.room)
	f.disk.room -= n
	if _, err := f.File.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, syscall.ENOSPC
}

type update struct {
	Update int `json:"update"`
}

func saveNothing(string) error { return nil }

// TestFullDisk fills the disk after every number of bytes: whatever happens, errors say what to do, no name holds half a
// file, and the run goes on once there is room.
func TestFullDisk(t *testing.T) {
	steps := func(r *Run) error {
		return errors.Join(
			r.WriteEpisodes(2, func(enc func(any) error) error { return enc("what was said") }),
			r.AppendMetrics(2, update{2}),
			r.Cost(update{2}, nil),
			r.Checkpoint(2, update{2}, saveNothing),
			r.AppendTiming(update{2}),
			r.WriteFile("report.md", []byte("new")))
	}
	for room := 0; ; room += 17 {
		r, err := Create(filepath.Join(t.TempDir(), "r"), Meta{Keep: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.AppendMetrics(1, update{1}), r.AppendTiming(update{1}), r.Checkpoint(1, update{1}, saveNothing), r.WriteFile("report.md", []byte("old")), r.metrics.Close(), r.timing.Close()); err != nil {
			t.Fatal(err)
		}
		r.Disk = &fullDisk{OS: store.OS{Folder: r.Folder}, room: room}
		failed := steps(r)
		if failed != nil && !(errors.Is(failed, syscall.ENOSPC) && strings.Contains(failed.Error(), "free some space, then go on with: parley train --resume")) {
			t.Fatalf("room %d: %v", room, failed)
		}
		if data, err := os.ReadFile(filepath.Join(r.dir, "report.md")); err != nil || string(data) != "old" && string(data) != "new" {
			t.Fatalf("room %d: report.md holds %q, %v", room, data, err)
		}
		r.Disk = store.OS{Folder: r.Folder}
		r.metrics.Close()
		r.timing.Close()
		got, notes, err := r.Restore(Restoring{Load: func(string, []byte) error { return nil }})
		if err != nil || got < 1 || len(notes) > 0 {
			t.Fatalf("room %d: restored to %d, %q, %v", room, got, notes, err)
		}
		if got == 1 {
			if err := steps(r); err != nil {
				t.Fatalf("room %d: with room again: %v", room, err)
			}
		}
		if data, _ := os.ReadFile(filepath.Join(r.dir, "metrics.jsonl")); string(data) != "{\"update\":1}\n{\"update\":2}\n" {
			t.Fatalf("room %d: metrics %q", room, data)
		}
		r.Close()
		if failed == nil {
			return
		}
	}
}

// TestDeathBeforeRename stops between writing and renaming: the old content stays, and nothing unfinished is taken for real.
func TestDeathBeforeRename(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "r"), Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.WriteFile("report.md", []byte("old")); err != nil {
		t.Fatal(err)
	}
	died := errors.New("killed")
	r.Disk = &fullDisk{OS: store.OS{Folder: r.Folder}, room: 1 << 20, broken: died}
	if err := r.WriteFile("report.md", []byte("new")); !errors.Is(err, died) {
		t.Errorf("error %v", err)
	}
	if err := r.Checkpoint(1, update{1}, saveNothing); !errors.Is(err, died) {
		t.Errorf("error %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(r.dir, "report.md")); string(data) != "old" {
		t.Errorf("report.md holds %q", data)
	}
	r.Disk = store.OS{Folder: r.Folder}
	if got, _, err := r.Restore(Restoring{}); got != -1 || err != nil {
		t.Errorf("an unfinished checkpoint was taken: %d, %v", got, err)
	}
}

func packed(t interface{ Fatal(...any) }, text []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(text, nil)
}

// TestBombs unpacks files that are small on disk and huge in memory, with bounds small enough for a test.
func TestBombs(t *testing.T) {
	ignore := func([]byte) error { return nil }
	long := packed(t, append(bytes.Repeat([]byte(" "), 1<<20), "1\n"...))
	if err := readEpisodes(bytes.NewReader(long), 1<<16, 1<<30, ignore); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a line above the bound: %v", err)
	}
	many := packed(t, bytes.Repeat([]byte("1\n"), 1<<20))
	if err := readEpisodes(bytes.NewReader(many), 1<<16, 1<<20, ignore); err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("a file above the bound: %v", err)
	}
	if err := readEpisodes(bytes.NewReader(many), 1<<16, 1<<22, ignore); err != nil {
		t.Errorf("a file within the bounds: %v", err)
	}
}

// FuzzReadEpisodes holds that a hostile file is read within bounds or refused.
func FuzzReadEpisodes(f *testing.F) {
	whole := packed(f, []byte("{\"a\":1}\n[2]\n"))
	for _, data := range [][]byte{nil, whole, whole[:len(whole)-3], packed(f, []byte("not json\n")), packed(f, bytes.Repeat([]byte("7\n"), 1<<12)), []byte("\x28\xb5\x2f\xfd"), []byte("\x50\x2a\x4d\x18\xff\xff\xff\xff")} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const maxLine, maxTotal = 1 << 10, 1 << 14
		total := 0
		err := readEpisodes(bytes.NewReader(data), maxLine, maxTotal, onlyJSON(func(line []byte) error {
			if total += len(line); len(line) > maxLine || !json.Valid(line) {
				t.Fatalf("line %.50q", line)
			}
			return nil
		}))
		if total > maxTotal+1 {
			t.Fatalf("%d bytes were handed over, %v", total, err)
		}
	})
}

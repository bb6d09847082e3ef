package scalars

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/runs"
)

// An event as the reader of this test understands it: it shares nothing with the writer.
type event struct {
	wall    float64
	step    int64
	version string
	scalars map[string]float32
}

// crc32c is the checksum by its definition, a bit at a time.
func crc32c(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			low := crc & 1
			crc >>= 1
			if low == 1 {
				crc ^= 0x82f63b78
			}
		}
	}
	return ^crc
}

func readFile(t *testing.T, path string) []event {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return readEvents(t, data)
}

// readEvents reads a file of records and checks every checksum.
func readEvents(t *testing.T, data []byte) (out []event) {
	t.Helper()
	check := func(data []byte, sum uint32) {
		if want := bits.RotateLeft32(crc32c(data), 17) + 0xa282ead8; sum != want {
			t.Fatalf("checksum %x, want %x", sum, want)
		}
	}
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data[:8])
		check(data[:8], binary.LittleEndian.Uint32(data[8:12]))
		body := data[12 : 12+n]
		check(body, binary.LittleEndian.Uint32(data[12+n:16+n]))
		out, data = append(out, readEvent(t, body)), data[16+n:]
	}
	return out
}

// fields takes a protocol buffer apart.
func fields(t *testing.T, b []byte, each func(number, wire int, bits uint64, text []byte)) {
	t.Helper()
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		var value uint64
		var text []byte
		switch key & 7 {
		case 0:
			value, n = binary.Uvarint(b)
		case 1:
			value, n = binary.LittleEndian.Uint64(b), 8
		case 2:
			size, m := binary.Uvarint(b)
			text, n = b[m:m+int(size)], m+int(size)
		case 5:
			value, n = uint64(binary.LittleEndian.Uint32(b)), 4
		default:
			t.Fatalf("wire type %d", key&7)
		}
		each(int(key>>3), int(key&7), value, text)
		b = b[n:]
	}
}

func readEvent(t *testing.T, body []byte) event {
	e := event{scalars: map[string]float32{}}
	fields(t, body, func(number, _ int, value uint64, text []byte) {
		switch number {
		case 1:
			e.wall = math.Float64frombits(value)
		case 2:
			e.step = int64(value)
		case 3:
			e.version = string(text)
		case 5:
			fields(t, text, func(_, _ int, _ uint64, summary []byte) {
				tag, number := "", float32(0)
				fields(t, summary, func(n, _ int, value uint64, text []byte) {
					if n == 1 {
						tag = string(text)
					} else {
						number = math.Float32frombits(uint32(value))
					}
				})
				e.scalars[tag] = number
			})
		}
	})
	return e
}

// TestKnownChecksum: that of "123456789", which every table of checksums has, masked.
func TestKnownChecksum(t *testing.T) {
	if crc32c([]byte("123456789")) != 0xe3069283 {
		t.Fatal("the test's own checksum is wrong")
	}
	if got, want := masked([]byte("123456789")), bits.RotateLeft32(0xe3069283, 17)+0xa282ead8; got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

type fixture struct {
	*testing.T
	dir  string
	run  *runs.Run
	file *TensorBoardFile
}

var createdAt = time.Unix(1767322800, 0).UTC()

// startFile opens the run in dir and lets a file follow it.
func startFile(t *testing.T, dir string, open func() (*runs.Run, error)) *fixture {
	t.Helper()
	run, err := open()
	if err != nil {
		t.Fatal(err)
	}
	x := &fixture{T: t, dir: dir, run: run, file: FollowTensorBoard(filepath.Join(dir, "tensorboard"), createdAt, func(note string) { t.Error(note) })}
	now := createdAt
	x.file.now = func() time.Time { now = now.Add(time.Minute); return now }
	run.Follow(x.file)
	if _, _, err := run.Restore(runs.Restoring{Load: func(string, []byte) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *fixture) update(n int, checkpoint bool) {
	x.Helper()
	err := x.run.AppendMetrics(n, map[string]any{"update": n, "reward": []float64{float64(n), 0.5}, "grad_norm": map[string]any{"policy": 0.25 * float64(n)}, "note": "text"})
	if err == nil && checkpoint {
		err = x.run.Checkpoint(n, map[string]int{"updates": n}, func(string) error { return nil })
	}
	if err == nil {
		err = x.run.AppendTiming(map[string]any{"update": n, "seconds": 2})
	}
	if err != nil {
		x.Fatal(err)
	}
}

// TestFollowTensorBoard: a run that is killed after its checkpoint and goes on has every step once, with its numbers, and the results at the end,
// once again after it was resumed when finished.
func TestFollowTensorBoard(t *testing.T) {
	dir := t.TempDir()
	x := startFile(t, dir, func() (*runs.Run, error) { return runs.Create(dir, runs.Meta{Created: createdAt}) })
	x.update(1, true)
	x.update(2, false)
	x.run.Close()
	x = startFile(t, dir, func() (*runs.Run, error) { return runs.Open(dir) })
	x.update(2, true)
	x.update(3, true)
	report := runs.Report{Gain: 0.5, Rows: []runs.Row{{System: "trained", Score: 0.75, TokensPerProblem: 10}}}
	for range 2 {
		if err := x.run.WriteReport(report, "", nil); err != nil {
			t.Fatal(err)
		}
		x.run.Close()
		x = startFile(t, dir, func() (*runs.Run, error) { return runs.Open(dir) })
	}
	if err := x.run.WriteReport(report, "", nil); err != nil {
		t.Fatal(err)
	}
	x.run.Close()
	live := readFile(t, filepath.Join(dir, "tensorboard", "events.out.tfevents.1767322800.parley"))
	if live[0].version != "brain.Event:2" || live[0].wall != 1767322800 {
		t.Errorf("the file begins with %+v", live[0])
	}
	var steps []string
	last := 0.0
	for _, e := range live[1:] {
		names := fmt.Sprint(len(e.scalars))
		if e.wall <= 1767322800 {
			t.Errorf("step %d has the wall time %v after %v", e.step, e.wall, last)
		}
		last = e.wall
		steps = append(steps, fmt.Sprint(e.step, ":", names))
	}
	if want := "1:3 1:1 2:3 2:1 3:3 3:1 3:3"; strings.Join(steps, " ") != want {
		t.Errorf("steps %v, want %s", steps, want)
	}
	if want := map[string]float32{"reward/1": 2, "reward/2": 0.5, "grad_norm/policy": 0.5}; !reflect.DeepEqual(live[3].scalars, want) {
		t.Errorf("update 2 has %v, want %v", live[3].scalars, want)
	}
	if want := map[string]float32{"results/gain": 0.5, "results/trained/score": 0.75, "results/trained/tokens_per_problem": 10}; !reflect.DeepEqual(live[7].scalars, want) {
		t.Errorf("results %v, want %v", live[7].scalars, want)
	}
	exported(t, dir)
}

// exported: the export of the same run has the same numbers at the same steps, at the times of the training.
func exported(t *testing.T, dir string) {
	t.Helper()
	name, data, err := TensorBoard(dir)
	if err != nil || name != "events.out.tfevents.1767322800.parley" {
		t.Fatal(name, err)
	}
	all := readEvents(t, data)
	if len(all) != 5 || all[2].step != 2 || all[2].wall != 1767322804 || all[2].scalars["reward/1"] != 2 || all[2].scalars["timing/seconds"] != 2 || all[4].scalars["results/gain"] != 0.5 {
		t.Errorf("exported %+v", all)
	}
}

// TestTrouble: a folder that cannot be written is told once and stops nothing.
func TestTrouble(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var notes []string
	f := FollowTensorBoard(filepath.Join(blocked, "events"), createdAt, func(n string) { notes = append(notes, n) })
	f.Metrics(1, []byte(`{"update":1,"reward":1}`))
	f.Metrics(2, []byte(`{"update":2,"reward":1}`))
	f.Timing(2, []byte(`{`))
	f.Finished(runs.Report{})
	if err := f.Close(); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "nothing more is written to") {
		t.Errorf("%q, %v", notes, err)
	}
}

// FuzzWhole: whatever stands in a file, what is kept of it is whole records at its start.
func FuzzWhole(f *testing.F) {
	good := appendRecord(nil, versionEvent(1))
	good = appendRecord(good, scalarEvent(2, 1, nil))
	f.Add(good, 0)
	f.Add(good, 1)
	f.Add(good[:len(good)-3], 9)
	f.Add([]byte("no records"), 0)
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		n := whole(data, most)
		for _, e := range records(t, data[:n]) {
			if step, ok := stepOf(e); ok && step > most {
				t.Fatalf("step %d is kept, the last is to be %d", step, most)
			}
		}
	})
}

// records splits whole records.
func records(t *testing.T, data []byte) (out [][]byte) {
	for len(data) > 0 {
		body, rest, ok := nextRecord(data)
		if !ok {
			t.Fatal("a record is not whole")
		}
		out, data = append(out, body), rest
	}
	return out
}

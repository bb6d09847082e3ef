package runs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/runs"
)

type metric struct {
	Update int     `json:"update"`
	Score  float64 `json:"score"`
}

// create makes a run in a fresh folder, closed at the end of the test.
func create(t *testing.T) *runs.Run {
	t.Helper()
	r, err := runs.Create(filepath.Join(t.TempDir(), "a-s1"), runs.Meta{Name: "a", Seed: 1, Keep: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// reopen closes and opens a run, as a new process would.
func reopen(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	must(t, r.Close())
	again, err := runs.Open(r.Dir())
	must(t, err)
	t.Cleanup(func() { again.Close() })
	return again
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// step does what one update of training does to a run.
func step(t *testing.T, r *runs.Run, update int) {
	t.Helper()
	must(t, r.WriteEpisodes(update, func(enc func(any) error) error { return enc(metric{update, 0.5}) }))
	must(t, r.AppendMetrics(update, metric{update, float64(update) / 7}))
	must(t, r.Checkpoint(update, metric{Update: update}, func(dir string) error {
		must(t, os.MkdirAll(filepath.Join(dir, "turn1"), 0o755))
		return os.WriteFile(filepath.Join(dir, "turn1", "adapter"), fmt.Append(nil, "weights ", update), 0o644)
	}))
	must(t, r.AppendTiming(metric{Update: update}))
}

// restore returns the update that a run is restored to, checking that the state and the files belong to it.
func restore(t *testing.T, r *runs.Run) (update int, notes []string) {
	t.Helper()
	loaded := -1
	update, notes, err := r.Restore(runs.Restoring{Load: func(dir string, state []byte) error {
		var m metric
		must(t, json.Unmarshal(state, &m))
		loaded = m.Update
		data, err := os.ReadFile(filepath.Join(dir, "turn1", "adapter"))
		if want := fmt.Sprint("weights ", m.Update); string(data) != want {
			t.Errorf("adapter of update %d: %q", m.Update, data)
		}
		return err
	}})
	must(t, err)
	if loaded != update {
		t.Errorf("restored to update %d, loaded %d", update, loaded)
	}
	return update, notes
}

func read(t *testing.T, r *runs.Run, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir(), name))
	must(t, err)
	return string(data)
}

func TestCreateAndRead(t *testing.T) {
	r := create(t)
	meta, err := runs.Read(r.Dir())
	must(t, err)
	if !reflect.DeepEqual(meta, r.Meta()) || meta.Format != runs.Format || meta.Name != "a" || meta.Created.IsZero() {
		t.Errorf("run.json holds %+v, want %+v", meta, r.Meta())
	}
	if _, err := runs.Create(r.Dir(), runs.Meta{}); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a run over a run: %v", err)
	}
	if _, err := runs.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a run") {
		t.Errorf("open of another folder: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(r.Dir(), "run.json"), []byte(`{"format":99}`), 0o644))
	if _, err := runs.Read(r.Dir()); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("run of another format: %v", err)
	}
}

func TestFreeDir(t *testing.T) {
	root := t.TempDir()
	for _, want := range []string{"a-s3", "a-s3-2", "a-s3-3"} {
		dir := runs.FreeDir(root, "a", 3)
		if filepath.Base(dir) != want {
			t.Errorf("got %s, want %s", dir, want)
		}
		must(t, os.Mkdir(dir, 0o755))
	}
	t.Setenv("PARLEY_RUNS", "")
	if runs.Root() != "runs" {
		t.Errorf("root is %s", runs.Root())
	}
	t.Setenv("PARLEY_RUNS", root)
	if runs.Root() != root {
		t.Errorf("root is %s", runs.Root())
	}
}

func TestSecondWriter(t *testing.T) {
	r := create(t)
	_, err := runs.Open(r.Dir())
	if !errors.Is(err, runs.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("second writer: %v", err)
	}
	if !runs.Locked(r.Dir()) {
		t.Error("a run being written to is not locked")
	}
	must(t, r.Close())
	if runs.Locked(r.Dir()) {
		t.Error("a closed run is locked")
	}
}

// TestLockDiesWithProcess kills a process that holds the lock and half of a line and of a checkpoint, and goes on.
func TestLockDiesWithProcess(t *testing.T) {
	if dir := os.Getenv("RUNS_TEST_HOLD"); dir != "" {
		hold(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "r")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockDiesWithProcess$")
	cmd.Env = append(os.Environ(), "RUNS_TEST_HOLD="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal("the holder died by itself")
	}
	if _, err := runs.Open(dir); !errors.Is(err, runs.ErrLocked) {
		t.Errorf("while the holder lives: %v", err)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait()
	r, err := runs.Open(dir)
	must(t, err)
	defer r.Close()
	if update, notes := restore(t, r); update != 1 || len(notes) > 0 {
		t.Errorf("restored to %d, %q", update, notes)
	}
	if got := read(t, r, "metrics.jsonl"); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") {
		t.Errorf("metrics %q", got)
	}
	step(t, r, 2)
	if _, err := os.Stat(filepath.Join(dir, "checkpoints", ".unfinished-000002")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the unfinished checkpoint is still there: %v", err)
	}
}

// hold writes one update and half of the next, then waits to be killed.
func hold(t *testing.T, dir string) {
	r, err := runs.Create(dir, runs.Meta{Keep: 2})
	must(t, err)
	step(t, r, 1)
	f, err := os.OpenFile(filepath.Join(dir, "metrics.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	f.WriteString(`{"update":2,"sco`)
	must(t, r.Checkpoint(2, metric{Update: 2}, func(dir string) error {
		must(t, os.WriteFile(filepath.Join(dir, "half"), []byte("x"), 0o644))
		fmt.Print(".")
		time.Sleep(time.Hour)
		return nil
	}))
}

func TestResumeWritesTheSameBytes(t *testing.T) {
	whole, broken := create(t), create(t)
	for u := 1; u <= 5; u++ {
		step(t, whole, u)
		step(t, broken, u)
		if u == 3 { // dies after the metrics and episodes of update 4, before its checkpoint
			must(t, broken.AppendMetrics(4, metric{4, 0}))
			must(t, broken.WriteEpisodes(4, func(enc func(any) error) error { return enc("other") }))
			broken = reopen(t, broken)
			if update, notes := restore(t, broken); update != 3 || len(notes) > 0 {
				t.Fatalf("restored to %d, %q", update, notes)
			}
			if _, err := os.Stat(filepath.Join(broken.Dir(), "episodes", "000004.jsonl.zst")); err == nil {
				t.Error("episodes after the checkpoint are still there")
			}
		}
	}
	for _, name := range []string{"metrics.jsonl", "timing.jsonl", "episodes/000004.jsonl.zst"} {
		if a, b := read(t, whole, name), read(t, broken, name); a != b {
			t.Errorf("%s differs:\n%q\n%q", name, a, b)
		}
	}
	entries, err := os.ReadDir(filepath.Join(whole.Dir(), "checkpoints"))
	if err != nil || len(entries) != 3 || entries[1].Name() != "000005" || entries[2].Name() != runs.MetaFile {
		t.Errorf("checkpoints kept: %v, %v", entries, err)
	}
}

func TestRestoreNothing(t *testing.T) {
	r := create(t)
	if update, notes := restore(t, r); update != -1 || len(notes) > 0 {
		t.Errorf("fresh run: %d, %q", update, notes)
	}
	must(t, r.AppendMetrics(1, metric{1, 0}))
	r = reopen(t, r)
	if update, _ := restore(t, r); update != -1 || read(t, r, "metrics.jsonl") != "" {
		t.Errorf("a run without checkpoint keeps its metrics: %q", read(t, r, "metrics.jsonl"))
	}
}

// TestTornFiles lists what a crash or a bad disk can leave of a .jsonl file, and what must be left of it.
func TestTornFiles(t *testing.T) {
	for name, c := range map[string]struct{ tail, want string }{
		"half a line":      {`{"update":3`, "12"},
		"no line break":    {`{"update":3}`, "12"},
		"whole line":       {`{"update":3}` + "\n", "123"},
		"zeros":            {"\x00\x00\x00\n", "12"},
		"repeated update":  {`{"update":2}` + "\n", "12"},
		"line after a bad": {"{}\n" + `{"update":3}` + "\n", "12"},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t)
			must(t, r.AppendMetrics(1, metric{1, 0}))
			must(t, r.AppendMetrics(2, metric{2, 0}))
			must(t, r.Close())
			must(t, os.WriteFile(filepath.Join(r.Dir(), "metrics.jsonl"), []byte(read(t, r, "metrics.jsonl")+c.tail), 0o644))
			got := ""
			must(t, runs.ReadLines(r.Dir(), "metrics.jsonl", func(line []byte) error {
				var m metric
				got += fmt.Sprint(json.Unmarshal(line, &m), m.Update)
				return nil
			}))
			if got = strings.ReplaceAll(got, "<nil> ", ""); got != c.want {
				t.Errorf("read updates %s, want %s", got, c.want)
			}
			again, err := runs.Open(r.Dir())
			must(t, err)
			defer again.Close()
			must(t, again.AppendMetrics(4, metric{4, 0}))
			if lines := strings.Count(read(t, again, "metrics.jsonl"), "\n"); lines != len(c.want)+1 {
				t.Errorf("after one more line there are %d: %q", lines, read(t, again, "metrics.jsonl"))
			}
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	r := create(t)
	must(t, r.AppendMetrics(2, metric{2, 0}))
	for name, err := range map[string]error{
		"same update twice":  r.AppendMetrics(2, metric{2, 0}),
		"another update":     r.AppendMetrics(3, metric{4, 0}),
		"no update":          r.AppendTiming(map[string]int{"seconds": 3}),
		"not a finite value": r.AppendMetrics(3, map[string]any{"update": 3, "x": inf()}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := read(t, r, "metrics.jsonl"); got != `{"update":2,"score":0}`+"\n" {
		t.Errorf("metrics %q", got)
	}
}

func inf() float64 { x := 1e308; return x * 10 }

// TestDamagedCheckpoint damages the newest checkpoint in every way and goes on from the one before.
func TestDamagedCheckpoint(t *testing.T) {
	damage := map[string]func(dir string) error{
		"a flipped byte":      func(dir string) error { return flip(filepath.Join(dir, "turn1", "adapter")) },
		"a flipped state":     func(dir string) error { return flip(filepath.Join(dir, "state.json")) },
		"a missing file":      func(dir string) error { return os.Remove(filepath.Join(dir, "turn1", "adapter")) },
		"a missing manifest":  func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) },
		"half a manifest":     func(dir string) error { return os.Truncate(filepath.Join(dir, "manifest.json"), 20) },
		"an empty manifest":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{}"), 0o644) },
		"an emptied adapter":  func(dir string) error { return os.Truncate(filepath.Join(dir, "turn1", "adapter"), 0) },
		"an empty checkpoint": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			r := create(t)
			step(t, r, 1)
			step(t, r, 2)
			must(t, do(filepath.Join(r.Dir(), "checkpoints", "000002")))
			r = reopen(t, r)
			update, notes := restore(t, r)
			if update != 1 || len(notes) != 1 || !strings.Contains(notes[0], "checkpoint of update 2 cannot be used") {
				t.Errorf("restored to %d, %q", update, notes)
			}
			step(t, r, 2)
			if update, notes := restore(t, reopen(t, r)); update != 2 || len(notes) > 0 {
				t.Errorf("after writing it again: %d, %q", update, notes)
			}
		})
	}
}

func TestAllCheckpointsDamaged(t *testing.T) {
	r := create(t)
	step(t, r, 1)
	step(t, r, 2)
	must(t, flip(filepath.Join(r.Dir(), "checkpoints", "000001", "state.json")))
	must(t, flip(filepath.Join(r.Dir(), "checkpoints", "000002", "state.json")))
	update, notes := restore(t, r)
	if update != -1 || len(notes) != 3 || !strings.Contains(notes[2], "starting again") || read(t, r, "metrics.jsonl") != "" {
		t.Errorf("restored to %d, %q", update, notes)
	}
}

func flip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return os.WriteFile(path, data, 0o644)
}

func TestRestoreKeepsWhatLoadRefuses(t *testing.T) {
	r := create(t)
	step(t, r, 1)
	want := errors.New("other base model")
	if _, _, err := r.Restore(runs.Restoring{Load: func(string, []byte) error { return want }}); !errors.Is(err, want) {
		t.Errorf("error %v", err)
	}
	if update, _ := restore(t, r); update != 1 || !strings.Contains(read(t, r, "metrics.jsonl"), `"update":1`) {
		t.Errorf("a refused load changed the run")
	}
}

func TestEpisodes(t *testing.T) {
	r := create(t)
	texts := []string{"a <b> & \"c\"", "é\n\u2028", strings.Repeat("long ", 50_000)}
	write := func(u int) {
		must(t, r.WriteEpisodes(u, func(enc func(any) error) error {
			for _, s := range texts {
				if err := enc(s); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	write(1)
	write(2)
	if read(t, r, "episodes/000001.jsonl.zst") != read(t, r, "episodes/000002.jsonl.zst") {
		t.Error("equal episodes give different bytes")
	}
	var got []string
	must(t, runs.ReadEpisodes(r.Dir(), 1, func(line []byte) error {
		var s string
		got = append(got, "")
		return errors.Join(json.Unmarshal(line, &s), func() error { got[len(got)-1] = s; return nil }())
	}))
	if strings.Join(got, "|") != strings.Join(texts, "|") {
		t.Errorf("read %d episodes, not what was written", len(got))
	}
	failed := errors.New("engine died")
	if err := r.WriteEpisodes(3, func(enc func(any) error) error { enc("x"); return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	files, err := os.ReadDir(filepath.Join(r.Dir(), "episodes"))
	if err != nil || len(files) != 2 {
		t.Errorf("after a failed write there are %d files, %v", len(files), err)
	}
	must(t, os.WriteFile(filepath.Join(r.Dir(), "episodes", "000002.jsonl.zst"), []byte(read(t, r, "episodes/000001.jsonl.zst"))[:50], 0o644))
	if err := runs.ReadEpisodes(r.Dir(), 2, func([]byte) error { return nil }); err == nil {
		t.Error("half a file is read without error")
	}
}

func TestWriteDir(t *testing.T) {
	r := create(t)
	for _, content := range []string{"old", "new"} {
		must(t, r.WriteDir("adapters", func(dir string) error {
			must(t, os.Mkdir(filepath.Join(dir, "turn1"), 0o755))
			return os.WriteFile(filepath.Join(dir, "turn1", content), []byte(content), 0o644)
		}))
	}
	if read(t, r, "adapters/turn1/new") != "new" {
		t.Error("the new content is not there")
	}
	if _, err := os.Stat(filepath.Join(r.Dir(), "adapters", "turn1", "old")); err == nil {
		t.Error("the old content is still there")
	}
	failed := errors.New("engine died")
	if err := r.WriteDir("adapters", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if read(t, r, "adapters/turn1/new") != "new" {
		t.Error("a failed write changed the folder")
	}
}

// TestReportForm compares report.json with the contract: these names, rows that are there, nothing null.
func TestReportForm(t *testing.T) {
	r := create(t)
	report := runs.Report{
		Recipe: "a", Task: "sums", Metric: "accuracy", Problems: 200, Seed: 1, Gain: 0.22, Updates: 40, TrainSeconds: 240.1, GeneratedTokens: 812345,
		Rows: []runs.Row{{System: runs.OffTheShelf, Score: 0.41, CI95: [2]float64{0.34, 0.48}, PerTurn: []float64{0.4, 0.41}, TokensPerProblem: 61}, {System: runs.Trained, Score: 0.63}},
	}
	must(t, r.WriteReport(report, "# Report\n", map[string][]byte{"curve.png": {1}}))
	var compact bytes.Buffer
	must(t, json.Compact(&compact, []byte(read(t, r, "report.json"))))
	want := `{"recipe":"a","task":"sums","metric":"accuracy","problems":200,"seed":1,"rows":[` +
		`{"system":"off-the-shelf","score":0.41,"ci95":[0.34,0.48],"per_turn":[0.4,0.41],"tokens_per_problem":61},` +
		`{"system":"trained","score":0.63,"ci95":[0,0],"tokens_per_problem":0}],"gain":0.22,"updates":40,"train_seconds":240.1,"generated_tokens":812345`
	if text, _, sealed := strings.Cut(compact.String(), `,"files":`); !sealed || text != want {
		t.Errorf("report.json\n got %s\nwant %s", compact.String(), want)
	}
	back, err := runs.ReadReport(r.Dir())
	must(t, err)
	if row, ok := back.Row(runs.Trained); !ok || row.Score != 0.63 {
		t.Errorf("read back %+v", back)
	}
	if _, ok := back.Row(runs.Single); ok {
		t.Error("a row that was not asked for")
	}
	if table := back.Table(); !strings.Contains(table, "off-the-shelf") || !strings.Contains(table, "0.400 0.410") {
		t.Errorf("table\n%s", table)
	}
}

func TestListAndRemove(t *testing.T) {
	root := t.TempDir()
	for i, name := range []string{"b-s1", "a-s1"} {
		r, err := runs.Create(filepath.Join(root, name), runs.Meta{Name: name[:1], Seed: 1})
		must(t, err)
		step(t, r, 1)
		if i == 0 {
			must(t, r.WriteReport(runs.Report{Updates: 1}, "", nil))
		}
		must(t, r.Close())
	}
	must(t, os.Mkdir(filepath.Join(root, "other"), 0o755))
	open, err := runs.Create(filepath.Join(root, "c-s1"), runs.Meta{})
	must(t, err)
	list, err := runs.List(root)
	must(t, err)
	got := ""
	for _, s := range list {
		got += fmt.Sprintf("%s %s %d, ", s.Name, s.State, s.Updates)
	}
	if got != "a-s1 interrupted 1, b-s1 finished 1, c-s1 running 0, " {
		t.Errorf("list: %s", got)
	}
	if err := runs.Remove(open.Dir()); !errors.Is(err, runs.ErrLocked) {
		t.Errorf("removal of a running run: %v", err)
	}
	must(t, open.Close())
	must(t, runs.Remove(open.Dir()))
	if list, _ := runs.List(root); len(list) != 2 {
		t.Errorf("after removal %d runs", len(list))
	}
	if err := runs.Remove(filepath.Join(root, "other")); err == nil {
		t.Error("a folder that is no run was removed")
	}
	if list, err := runs.List(filepath.Join(root, "none")); err != nil || list != nil {
		t.Errorf("no folder of runs: %v, %v", list, err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	if _, err := runs.Create(filepath.Join(file, "run"), runs.Meta{}); err == nil || !strings.Contains(err.Error(), "create run folder") {
		t.Errorf("run under a file: %v", err)
	}
}

package runs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs"
)

// edit changes a file of a run.
func edit(t *testing.T, r *runs.Run, name string, change func(text string) string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(r.Dir(), filepath.FromSlash(name)), []byte(change(read(t, r, name))), 0o644))
}

func nothing(string, []byte) error { return nil }

// damageSecond makes the line of update 2 in metrics.jsonl another.
func damageSecond(text string) string { return strings.Replace(text, `"update":2`, `"update";2`, 1) }

// TestLoss: a damaged line that no checkpoint can do without is refused, and nothing is cut away. Where that is accepted, the run goes on with all
// other lines, the damaged file is kept, run.json says what is gone, and nobody is asked again.
func TestLoss(t *testing.T) {
	r := create(t)
	for u := 1; u <= 4; u++ {
		step(t, r, u)
	}
	edit(t, r, "metrics.jsonl", damageSecond)
	must(t, os.Remove(filepath.Join(r.Dir(), "episodes", "000001.jsonl.zst")))
	damaged := read(t, r, "metrics.jsonl")
	r = reopen(t, r)
	var loss *runs.LossError
	_, _, err := r.Restore(runs.Restoring{Load: nothing})
	if !errors.As(err, &loss) || len(loss.Lost) != 2 || !strings.Contains(err.Error(), "metrics.jsonl, update 2") || !strings.Contains(err.Error(), "--accept-loss") {
		t.Fatalf("a damaged line: %v", err)
	}
	if read(t, r, "metrics.jsonl") != damaged {
		t.Error("the refused run was changed")
	}
	update, notes, err := r.Restore(runs.Restoring{Load: nothing, AcceptLoss: true})
	if err != nil || update != 4 || !strings.Contains(strings.Join(notes, "\n"), "it is kept as metrics.jsonl.damaged") {
		t.Fatalf("accepted: %d, %q, %v", update, notes, err)
	}
	if got := read(t, r, "metrics.jsonl"); strings.Count(got, "\n") != 3 || strings.Contains(got, `;2`) || read(t, r, "metrics.jsonl.damaged") != damaged {
		t.Errorf("metrics.jsonl is %q", got)
	}
	gone := fmt.Sprint(r.Meta().Changes)
	if !strings.Contains(gone, "metrics.jsonl of update 2 is gone") || !strings.Contains(gone, "episodes/000001.jsonl.zst of update 1 is gone") {
		t.Errorf("run.json says %s", gone)
	}
	for u := 5; u <= 6; u++ {
		r = reopen(t, r)
		if update, notes := restore(t, r); update != u-1 || len(notes) > 0 {
			t.Fatalf("after the loss: %d, %q", update, notes)
		}
		step(t, r, u)
	}
}

// TestOlderCheckpointNeedsLess: where only the newest update is damaged, the run goes back behind it and does it again.
func TestOlderCheckpointNeedsLess(t *testing.T) {
	r := create(t)
	for u := 1; u <= 3; u++ {
		step(t, r, u)
	}
	whole := read(t, r, "metrics.jsonl")
	edit(t, r, "metrics.jsonl", func(s string) string { return strings.Replace(s, `"update":3,`, `"update":3 `, 1) })
	r = reopen(t, r)
	update, notes := restore(t, r)
	if update != 2 || len(notes) != 1 || !strings.Contains(notes[0], "what update 3 was is not all there (metrics.jsonl, update 3") {
		t.Fatalf("restored to %d, %q", update, notes)
	}
	step(t, r, 3)
	if got := read(t, r, "metrics.jsonl"); got != whole {
		t.Errorf("metrics.jsonl is %q, was %q", got, whole)
	}
}

// TestMissingCheckpoints: a run whose checkpoints are gone is not trained from the start again without a word.
func TestMissingCheckpoints(t *testing.T) {
	r := create(t)
	for u := 1; u <= 3; u++ {
		step(t, r, u)
	}
	must(t, os.RemoveAll(filepath.Join(r.Dir(), "checkpoints")))
	r = reopen(t, r)
	var loss *runs.LossError
	if _, _, err := r.Restore(runs.Restoring{Load: nothing, Every: 1}); !errors.As(err, &loss) {
		t.Fatalf("no checkpoints: %v", err)
	}
	update, notes, err := r.Restore(runs.Restoring{Load: nothing, Every: 5})
	if err != nil || update != -1 || len(notes) != 1 || !strings.Contains(notes[0], "updates 1 to 3 are trained again") {
		t.Errorf("before the first checkpoint: %d, %q, %v", update, notes, err)
	}
}

// TestStrangersStay: what somebody put into a run's folders is there after everything that parley removes.
func TestStrangersStay(t *testing.T) {
	r := create(t)
	step(t, r, 1)
	names := []string{"checkpoints/mine/notes", "checkpoints/notes", "checkpoints/000001/notes", "checkpoints/12/notes", "checkpoints/.unfinished-mine/notes", "episodes/000009.jsonl.zst.bak", "episodes/9.jsonl.zst", "adapters/notes", "notes"}
	for _, name := range names {
		path := filepath.Join(r.Dir(), filepath.FromSlash(name))
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("mine"), 0o644)))
	}
	for u := 2; u <= 5; u++ {
		step(t, r, u)
	}
	must(t, r.WriteDir("adapters", func(dir string) error { return os.WriteFile(filepath.Join(dir, "weights"), nil, 0o644) }))
	r = reopen(t, r)
	restore(t, r)
	for _, name := range names {
		if got := read(t, r, name); got != "mine" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if list, err := runs.Checkpoints(r.Dir()); err != nil || len(list) != 3 || list[2] != 1 {
		t.Errorf("checkpoints %v, %v; want the two newest and the one with somebody's file", list, err)
	}
}

// TestLinkedNames: a run in which a name that parley writes is a link is refused, and what the link points to stays as it is.
func TestLinkedNames(t *testing.T) {
	for _, name := range []string{"lock", "run.json", "metrics.jsonl", "checksums.jsonl", "timing.jsonl", "episodes", "episodes/000002.jsonl.zst", "checkpoints", "checkpoints/000002", "checkpoints/000002/state.json"} {
		r := create(t)
		step(t, r, 1)
		step(t, r, 2)
		must(t, r.Close())
		path, outside := filepath.Join(r.Dir(), filepath.FromSlash(name)), filepath.Join(t.TempDir(), "outside")
		must(t, errors.Join(os.Rename(path, outside), os.Symlink(outside, path)))
		before := tree(t, outside)
		if _, err := runs.Open(r.Dir()); err == nil || !strings.Contains(err.Error(), "link") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is a link: %v", name, err)
		}
		if after := tree(t, outside); after != before {
			t.Errorf("%s: outside was\n%s, is\n%s", name, before, after)
		}
	}
}

// tree is all that is in a folder, or a file.
func tree(t *testing.T, dir string) (text string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		text += fmt.Sprintf("%s %q\n", path, data)
		return err
	}))
	return text
}

// TestDamagedMeta: run.json that is damaged or gone is listed with the way out, which puts its copy there; without a copy there is none.
func TestDamagedMeta(t *testing.T) {
	for what, do := range map[string]func(path string) error{"a changed byte": flip, "half of it": func(path string) error { return os.Truncate(path, 40) }, "nothing": os.Remove} {
		r := create(t)
		step(t, r, 1)
		want := r.Meta().Created
		must(t, r.Close())
		must(t, do(filepath.Join(r.Dir(), "run.json")))
		s, err := runs.Summarise(r.Dir())
		if err != nil || s.State != runs.Damaged || s.Updates != 1 || !strings.Contains(s.Problem, "parley train --resume "+r.Dir()) {
			t.Errorf("%s: %+v, %v", what, s, err)
		}
		if note, err := runs.Heal(r.Dir()); err != nil || !strings.Contains(note, "its copy among the checkpoints takes its place") {
			t.Errorf("%s: %q, %v", what, note, err)
		}
		if meta, err := runs.Read(r.Dir()); err != nil || !meta.Created.Equal(want) {
			t.Errorf("%s: %+v, %v", what, meta, err)
		}
		must(t, do(filepath.Join(r.Dir(), "run.json")))
		must(t, do(filepath.Join(r.Dir(), "checkpoints", "run.json")))
		if s, err := runs.Summarise(r.Dir()); err != nil || s.State != runs.Damaged || !strings.Contains(s.Problem, "there is no whole copy") {
			t.Errorf("%s, twice: %+v, %v", what, s, err)
		}
		must(t, runs.Remove(r.Dir()))
	}
}

// TestBegun: a folder that a process left before it wrote run.json is taken by the next run of that name, and by nobody while it is locked.
func TestBegun(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a-s1")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "lock"), []byte("12\n"), 0o644))
	if !runs.Begun(dir) || runs.FreeDir(root, "a", 1) != dir {
		t.Errorf("%s is not taken", dir)
	}
	r, err := runs.Create(dir, runs.Meta{})
	must(t, err)
	if runs.Begun(dir) || runs.FreeDir(root, "a", 1) == dir {
		t.Error("a run's folder is taken by another")
	}
	must(t, r.Close())
}

// TestCosts: timing and trace of an update whose process ended right behind its checkpoint come from the checkpoint; of which others nothing is
// there is said; whole lines behind a damaged one stay.
func TestCosts(t *testing.T) {
	r := create(t)
	events := []map[string]any{{"name": "x", "args": map[string]int{"update": 1}}}
	must(t, errors.Join(r.AppendMetrics(1, metric{1, 0}), r.Cost(metric{1, 0.5}, events), r.Checkpoint(1, metric{Update: 1}, func(string) error { return nil })))
	r = reopen(t, r)
	if _, notes, err := r.Restore(runs.Restoring{Load: nothing}); err != nil || len(notes) > 0 {
		t.Fatalf("%q, %v", notes, err)
	}
	if timing, trace := read(t, r, "timing.jsonl"), read(t, r, "trace.json"); !strings.HasPrefix(timing, `{"update":1,`) || !strings.Contains(trace, `"x"`) {
		t.Errorf("timing %q, trace %q", timing, trace)
	}
	for u := 2; u <= 4; u++ {
		step(t, r, u)
	}
	edit(t, r, "timing.jsonl", damageSecond)
	r = reopen(t, r)
	_, notes, err := r.Restore(runs.Restoring{Load: nothing})
	if text := strings.Join(notes, "\n"); err != nil || !strings.Contains(text, "timing.jsonl was damaged; it is kept as timing.jsonl.damaged") || !strings.Contains(text, "timing.jsonl has nothing of updates 2") {
		t.Errorf("%q, %v", notes, err)
	}
	if got := read(t, r, "timing.jsonl"); strings.Count(got, "\n") != 3 || !strings.Contains(got, `"update":4`) {
		t.Errorf("timing %q", got)
	}
}

// TestExperimentsUpdates: the updates of an experiment are those of its runs, with a report and without.
func TestExperimentsUpdates(t *testing.T) {
	x := create(t)
	for i, name := range []string{"a-s1", "b-s1"} {
		one, err := runs.Create(filepath.Join(x.Dir(), name), runs.Meta{Name: name})
		must(t, err)
		for u := 1; u <= 2+i; u++ {
			step(t, one, u)
		}
		must(t, one.Close())
	}
	must(t, x.Close())
	if s, err := runs.Summarise(x.Dir()); err != nil || s.Updates != 5 || s.State != runs.Interrupted {
		t.Errorf("%+v, %v", s, err)
	}
}

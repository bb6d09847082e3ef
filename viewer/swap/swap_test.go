package swap_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs/policies"
	"parley/train"
	"parley/viewer/swap"
)

// cutOff leaves the beginning of a line at the end of a file, as a full disk does.
func cutOff(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"id":9,"upd`)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestPlay: without a change both are the same, an agent that is left out says nothing, and results are kept with the run,
// behind one that was cut off too.
func TestPlay(t *testing.T) {
	l := language.New()
	r, err := l.Load("chain-tiny", []string{"training.updates=1", "training.problems=1", "eval.problems=1", "training.checkpoint=1"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := train.Run(t.Context(), train.Options{Recipe: r, Language: l, Backend: native.Backend{}, Dir: dir, MaxUpdates: -1, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	o := swap.Options{Dir: dir, Language: l, Backend: native.Backend{}, Now: time.Now}
	play := func(changes ...swap.Change) swap.Result {
		t.Helper()
		result, err := swap.Play(t.Context(), o, 1, 0, changes)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	same := play(swap.Change{Agent: "writer", With: dir})
	if len(same.Lines) != 3 || *same.Reward != *same.SwappedReward {
		t.Errorf("the run itself in its own place: %+v", same)
	}
	for i := range same.Lines {
		if same.Lines[i].Text != same.Swapped[i].Text {
			t.Errorf("the run itself says %q in the place of %q", same.Swapped[i].Text, same.Lines[i].Text)
		}
	}
	for _, line := range play(swap.Change{Agent: "2", With: swap.LeftOut}).Swapped {
		if (line.Text == "") != (line.Name == "critic") {
			t.Errorf("without the critic %s says %q", line.Name, line.Text)
		}
	}
	cutOff(t, filepath.Join(dir, swap.File))
	play(swap.Change{Agent: "editor", With: swap.Untrained}, swap.Change{Agent: "writer", With: "checkpoint:1"})
	kept, damaged, err := swap.Read(dir)
	if err != nil || damaged != 1 || len(kept) != 3 || kept[2].ID != 3 || kept[2].Title != "editor: untrained, writer: checkpoint:1" {
		t.Errorf("kept are %+v, %v", kept, err)
	}
	var wrong *swap.ChangeError
	for _, c := range []swap.Change{{Agent: "nobody", With: swap.Untrained}, {Agent: "4", With: swap.LeftOut}, {Agent: "1", With: "checkpoint:x"}} {
		if _, err := swap.Play(t.Context(), o, 1, 0, []swap.Change{c}); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var none *policies.NoCheckpointError
	if _, err := swap.Play(t.Context(), o, 1, 0, []swap.Change{{Agent: "1", With: "checkpoint:7"}}); !errors.As(err, &none) || none.Update != 7 {
		t.Errorf("a checkpoint that there is not: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, swap.File)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "theirs"), filepath.Join(dir, swap.File)); err != nil {
		t.Fatal(err)
	}
	if _, err := swap.Play(t.Context(), o, 1, 0, []swap.Change{{Agent: "1", With: swap.Untrained}}); err == nil {
		t.Error("a result is written over a link")
	}
}

package ask_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs/verify"
	"parley/train"
	"parley/viewer/ask"
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
	o := ask.SwapOptions{Dir: dir, Language: l, Backend: native.Backend{}, Now: time.Now}
	play := func(changes ...ask.Change) ask.Swapped {
		t.Helper()
		result, err := ask.Play(t.Context(), o, 1, 0, changes)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	same := play(ask.Change{Agent: "writer", With: dir})
	if len(same.Lines) != 3 || *same.Reward != *same.SwappedReward {
		t.Errorf("the run itself in its own place: %+v", same)
	}
	for i := range same.Lines {
		if same.Lines[i].Text != same.Swapped[i].Text {
			t.Errorf("the run itself says %q in the place of %q", same.Swapped[i].Text, same.Lines[i].Text)
		}
	}
	for _, line := range play(ask.Change{Agent: "2", With: ask.LeftOut}).Swapped {
		if (line.Text == "") != (line.Name == "critic") {
			t.Errorf("without the critic %s says %q", line.Name, line.Text)
		}
	}
	cutOff(t, filepath.Join(dir, ask.SwapFile))
	play(ask.Change{Agent: "editor", With: ask.Untrained}, ask.Change{Agent: "writer", With: "checkpoint:1"})
	kept, damaged, err := ask.ReadSwaps(dir)
	if err != nil || damaged != 1 || len(kept) != 3 || kept[2].ID != 3 || kept[2].Title != "editor: untrained, writer: checkpoint:1" {
		t.Errorf("kept are %+v, %v", kept, err)
	}
	var wrong *ask.ChangeError
	for _, c := range []ask.Change{{Agent: "nobody", With: ask.Untrained}, {Agent: "4", With: ask.LeftOut}, {Agent: "1", With: "checkpoint:x"}} {
		if _, err := ask.Play(t.Context(), o, 1, 0, []ask.Change{c}); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var none *verify.NoCheckpointError
	if _, err := ask.Play(t.Context(), o, 1, 0, []ask.Change{{Agent: "1", With: "checkpoint:7"}}); !errors.As(err, &none) || none.Update != 7 {
		t.Errorf("a checkpoint that there is not: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, ask.SwapFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(t.TempDir(), "theirs"), filepath.Join(dir, ask.SwapFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := ask.Play(t.Context(), o, 1, 0, []ask.Change{{Agent: "1", With: ask.Untrained}}); err == nil {
		t.Error("a result is written over a link")
	}
}

package usererror

import "testing"

// TestSpoken: flags of messages are arguments where Python reads them, and stay what they are elsewhere; so do commands that go on.
func TestSpoken(t *testing.T) {
	for _, c := range []struct{ text, python string }{
		{"go on with --accept-changed: the report says so", "go on with accept_changed=True: the report says so"},
		{"choose another --out, or go on with %s", "choose another out, or go on with %s"},
		{"add --resume RUN", "add resume=RUN"},
		{"--updates %d is less", "updates=%d is less"},
		{"; write --set KEY=VALUE to change a key", `; write overrides={"KEY": VALUE} to change a key`},
		{"--set %s: a run keeps its recipe; --set says where files are", "overrides %s: a run keeps its recipe; overrides says where files are"},
		{"say where it is: --set %s=PATH", "say where it is: overrides %s=PATH"},
		{"choose one of --merged and --gguf", "choose one of merged=True and gguf=True"},
		{"a well--made word, and -- alone", "a well--made word, and -- alone"},
	} {
		if got := Spoken(c.text); got != c.text {
			t.Errorf("in a shell: %s, want %s", got, c.text)
		}
		t.Setenv(CallerVariable, "python")
		if got := Spoken(c.text); got != c.python {
			t.Errorf("in Python: %s, want %s", got, c.python)
		}
		t.Setenv(CallerVariable, "")
	}
}

func TestTrain(t *testing.T) {
	flags := []string{"--resume", "my runs/a-s1", "--max-updates", "3"}
	if got := Train(flags...); got != "parley train --resume 'my runs/a-s1' --max-updates 3" {
		t.Error(got)
	}
	t.Setenv(CallerVariable, "python")
	if got := Train(flags...); got != `parley.train(resume="my runs/a-s1", max_updates=3)` {
		t.Error(got)
	}
	if Word("task.path", "data=") != "data=" || Errorf("add --trust").Error() != "add trust=True" {
		t.Error("words are not Python's")
	}
}

package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/recipe"
	"parley/train"
)

// TestEvents: what each event is written as, and how each end is told.
func TestEvents(t *testing.T) {
	wrong := &recipe.Errors{List: []recipe.Error{{File: "r.yaml", Line: 2, Column: 3, Message: "bad", Hint: "good"}}}
	root, err := filepath.Abs("/")
	if err != nil {
		t.Fatal(err)
	}
	run := string(must(json.Marshal(filepath.Join(root, "x"))))
	within := string(must(json.Marshal(filepath.Join(root, "x", "s1"))))
	begun := []train.Event{{Kind: train.Started, Dir: root + "x", Message: "x", Updates: 4}}
	for _, c := range []struct {
		name string
		tell []train.Event
		err  error
		want string
	}{
		{"nothing", nil, nil, `{"event":"end","code":0}`},
		{
			"an experiment", append(begun, train.Event{Kind: train.Started, Dir: root + "x/s1", Of: root + "x", Message: "x"}), nil,
			`{"event":"started","run":` + run + `,"name":"x","updates":4}` + "\n" + `{"event":"started","run":` + within + `,"of":` + run + `,"name":"x"}` + "\n" + `{"event":"end","run":` + run + `,"code":0}`,
		},
		{
			"words",
			[]train.Event{{Kind: train.Note, Message: "a <b>"}, {Kind: train.Warning, Phase: "team", Message: "w", Line: "warning: w"}, {Kind: train.Training, Phase: "team"}},
			nil,
			`{"event":"note","text":"a <b>"}` + "\n" + `{"event":"warning","text":"w","phase":"team","line":"warning: w"}` + "\n" + `{"event":"end","code":0}`,
		},
		{
			"a measurement",
			[]train.Event{{Kind: train.Measuring, System: "single"}, {Kind: train.Measured, System: "single", Metric: "accuracy"}},
			nil,
			`{"event":"measuring","system":"single"}` + "\n" + `{"event":"measured","system":"single","metric":"accuracy","score":0}` + "\n" + `{"event":"end","code":0}`,
		},
		{"work, at most four times a second but for its end", []train.Event{
			{Kind: train.Working, Message: "m", All: 2}, {Kind: train.Working, Message: "m", Done: 1, All: 2}, {Kind: train.Working, Message: "m", Done: 2, All: 2},
		}, nil, `{"event":"working","what":"m","done":0,"all":2}` + "\n" + `{"event":"working","what":"m","done":2,"all":2}` + "\n" + `{"event":"end","code":0}`},
		{
			"an update",
			[]train.Event{{Kind: train.Updated, Phase: "team", Update: 1, Updates: 4, Left: time.Second, TotalLeft: 1500 * time.Millisecond}},
			nil,
			`{"event":"update","phase":"team","update":1,"updates":4,"left_seconds":1,"total_left_seconds":1.5}` + "\n" + `{"event":"end","code":0}`,
		},
		{"a failure", begun, errors.New("no luck\n"), `{"event":"started","run":` + run + `,"name":"x","updates":4}` + "\n" + `{"event":"error","run":` + run + `,"text":"no luck","code":1}` + "\n" + `{"event":"end","run":` + run + `,"code":1}`},
		{"a wrong recipe", nil, wrong, `{"event":"error","text":"r.yaml:2:3: bad; good","code":2,"errors":[{"file":"r.yaml","line":2,"column":3,"message":"bad","hint":"good"}]}` + "\n" + `{"event":"end","code":2}`},
		{"an interruption", nil, train.ErrInterrupted, `{"event":"error","text":"interrupted","code":130}` + "\n" + `{"event":"end","code":130}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "events")
			err := Events{file}.While(&App{Ctx: t.Context()}, func(a *App) error {
				for _, e := range c.tell {
					a.Tell(e)
				}
				return c.err
			})
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			got, err := os.ReadFile(file)
			if err != nil || string(got) != c.want+"\n" {
				t.Errorf("got\n%swant\n%s\n%v", got, c.want, err)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestEventsOfPanic: a mistake in parley is an end too.
func TestEventsOfPanic(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	func() {
		defer func() { _ = recover() }()
		_ = Events{file}.While(&App{Ctx: t.Context()}, func(*App) error { panic("oh") })
	}()
	got, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(string(got), `{"event":"end","code":1}`+"\n") {
		t.Errorf("%s %v", got, err)
	}
}

// TestEventsNowhere: what cannot be written to is a mistake on the command line.
func TestEventsNowhere(t *testing.T) {
	for _, name := range []string{"fd:", "fd:x", "fd:1", "fd:-3", "fd:3x", "fd:98765", filepath.Join(t.TempDir(), "no", "where")} {
		if err := (Events{name}).While(&App{Ctx: t.Context()}, func(*App) error { t.Error("begun"); return nil }); exitCode(err) != ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

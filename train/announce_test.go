package train

import (
	"io"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/progress"
)

// What an engine does otherwise because memory is short reaches who watches the run, once; of several bases with the name of its model.
func TestShortageIsTold(t *testing.T) {
	r, err := lang.Load("debate-sums", []string{"eval.problems=4"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	starve(t, s)
	if _, err := measure.Team(t.Context(), s, "off-the-shelf", false); err != nil {
		t.Fatal(err)
	}
	told := func() []string {
		var notes []string
		progress.Tell(func(e Event) {
			if e.Kind != Note {
				t.Errorf("an event of kind %s", e.Kind)
			}
			notes = append(notes, e.Message)
		}, s.EngineNotes())
		return notes
	}
	if notes := told(); len(notes) != 1 || !strings.Contains(notes[0], "memory is short") {
		t.Errorf("told %q", notes)
	}
	if notes := told(); notes != nil {
		t.Errorf("told again: %q", notes)
	}
}

// starve puts the base of a session on an engine for which the system has no memory left.
func starve(t *testing.T, s lineup.Lineup) {
	t.Helper()
	o := s.Memory.Options
	o.Available = func() float64 { return 0 }
	e, err := native.Open(s.Bases[0].Model.Source, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Bases[0].Engine.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	s.Bases[0].Engine = e
}

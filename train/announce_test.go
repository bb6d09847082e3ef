package train

import (
	"io"
	"strings"
	"testing"

	"parley/engine/native"
)

// What an engine does otherwise because memory is short reaches who watches the run, once; of several bases with the name of its model.
func TestShortageIsTold(t *testing.T) {
	r, err := lang.Load("debate-sums", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	starve(t, s)
	if _, err := s.measureTeam(t.Context(), "off-the-shelf", false); err != nil {
		t.Fatal(err)
	}
	told := func() []string {
		var notes []string
		s.tell(func(e Event) {
			if e.Kind != Note {
				t.Errorf("an event of kind %s", e.Kind)
			}
			notes = append(notes, e.Message)
		})
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
func starve(t *testing.T, s *session) {
	t.Helper()
	o := s.options
	o.Available = func() float64 { return 0 }
	e, err := native.Open(s.bases[0].model.Source, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bases[0].engine.(io.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	s.bases[0].engine = e
}

package tinker

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/engine/tinker/probe"
)

// TestProbes: every probe of the list has a finding, those of the core alone are measured again of a server that is known, and both profiles are the
// same.
func TestProbes(t *testing.T) {
	s, at := serve(t, nil)
	e := dial(t, at)
	first := e.Profile()
	for n := 1; n <= 24; n++ {
		if !slices.ContainsFunc(first.Findings, func(f probe.Finding) bool { return f.Probe == fmt.Sprint("P", n) && f.Found != "" }) {
			t.Errorf("nothing was found by P%d", n)
		}
	}
	first.Findings = nil
	want := probe.Profile{Cispo: true, Targets: true, Clips: true, Alpha: 32, AddsUp: true, Once: true, Loads: true, Keeps: true, Negative: true}
	if want.Momentum = first.Momentum; !reflect.DeepEqual(first, want) {
		t.Errorf("the server's profile is %+v, want %+v", first, want)
	}
	full := s.Asked("create_model")
	before := e.Profile()
	again, err := open(t.Context(), impatient(t, at), e.shape, &before)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if few := s.Asked("create_model") - full; few >= full*2/3 {
		t.Errorf("%d models were made to measure a server again, %d at first", few, full)
	}
	second := again.Profile()
	second.Findings = nil
	if !reflect.DeepEqual(first, second) || len(again.Profile().Findings) != len(before.Findings) {
		t.Errorf("profile %+v, and again %+v with %d findings of %d", first, second, len(again.Profile().Findings), len(before.Findings))
	}
}

// TestAlone: what may harm others on a server is tried where nobody else is there, and decides then.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		alone, leaks, want bool
		decay, seeds       string
	}{
		{false, false, true, "true: not tried", "not tried"},
		{true, false, false, "false: log-probabilities by 0, ", "refused"},
		{true, true, true, "true: log-probabilities by ", "refused"},
	} {
		s, at := serve(t, nil)
		s.Mean, s.Leaks, at.Alone = true, c.leaks, c.alone
		e := dial(t, at)
		p := e.Profile()
		if p.Leaks != c.want || !strings.HasPrefix(found(&p, "P19"), c.decay) || !strings.HasPrefix(found(&p, "P21"), c.seeds) {
			t.Errorf("alone %v, decay leaks %v: found %v, %q and %q", c.alone, c.leaks, p.Leaks, found(&p, "P19"), found(&p, "P21"))
		}
		again, err := open(t.Context(), impatient(t, at), e.shape, &p)
		if err != nil {
			t.Fatal(err)
		}
		if later := again.Profile(); later.Leaks != c.want {
			t.Errorf("alone %v, decay leaks %v: found %v again", c.alone, c.leaks, later.Leaks)
		}
		again.Close()
	}
}

// TestArchives: a server is asked for an adapter before anything is trained, and said to have none to give.
func TestArchives(t *testing.T) {
	f := &fault{path: "archive", kind: status(404, "")}
	f.left.Store(always)
	_, at := serve(t, f.around)
	for _, gone := range []bool{false, true} {
		f.on.Store(gone)
		p := dial(t, at).Profile()
		if want := map[bool]string{false: "rank 4, alpha 32, ", true: "there are no archives"}[gone]; p.NoArchive != gone || !strings.HasPrefix(found(&p, "P22"), want) {
			t.Errorf("archives are gone: %v; found %v, %q", gone, p.NoArchive, found(&p, "P22"))
		}
	}
}

// found is what the last finding of a probe says.
func found(p *probe.Profile, number string) (words string) {
	for _, f := range p.Findings {
		if f.Probe == number {
			words = f.Found
		}
	}
	return words
}

// TestForgetful: a server that would do a request twice is not sent it again, unless it says that it did not take it.
func TestForgetful(t *testing.T) {
	for _, c := range []struct {
		fault *fault
		want  string
	}{{&fault{path: "optim_step", kind: loses}, "EOF"}, {&fault{path: "optim_step", kind: status(503, "")}, ""}} {
		s, at := serve(t, c.fault.around)
		s.Forgetful = true
		e := dial(t, at)
		if e.Profile().Once {
			t.Fatal("the server is taken to know requests again")
		}
		if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
			t.Fatal(err)
		}
		before := s.Asked("optim_step")
		c.fault.left.Store(1)
		c.fault.on.Store(true)
		err := steps(t.Context(), e, 1)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if n := s.Asked("optim_step") - before; n != 1 {
			t.Errorf("%d steps were taken", n)
		}
	}
}

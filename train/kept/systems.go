package kept

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"parley/runs"
	"parley/runs/store"
	"parley/train/measure"
)

// A Place keeps whole measurements: the folder of a run, or of an evaluation.
type Place interface {
	Dir() string
	WriteCompact(name string, v any) error
	WriteStream(name string, write func(w io.Writer) error) error
}

// At is where measurements are kept: in the folder of a run, or of an evaluation; nil: nowhere.
func At(run *runs.Run, f *Folder) Place {
	switch {
	case run != nil:
		return run
	case f != nil && f.dir != "":
		return f
	}
	return nil
}

// Rates says where the pass rates of an evaluation's problems are kept: in the run that is measured, which has them, or else in the folder.
func (f *Folder) Rates(run string) (dir string, write func(name string, v any) error) {
	if run != "" || f.dir == "" {
		return run, func(string, any) error { return nil }
	}
	return f.dir, f.WriteCompact
}

func measurementFile(system string, updates int) string {
	return fmt.Sprintf("evaluation/%s-%06d.json", system, updates)
}

// Recorded returns the measurement of a system after so many updates that a place keeps; nil: none that is usable. A damaged one is said.
func Recorded(p Place, system string, updates int, usable func(*measure.Measurement) bool, note func(string)) *measure.Measurement {
	if p == nil {
		return nil
	}
	var m measure.Measurement
	err := runs.ReadSealed(p.Dir(), measurementFile(system, updates), &m)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		note(fmt.Sprintf("%v: %s is measured again", err, system))
	}
	if err != nil || m.Check() != nil || !usable(&m) {
		return nil
	}
	return &m
}

// Record keeps the measurement of a system, its answers first: where a measurement is, they are.
func Record(p Place, system string, updates int, m *measure.Measurement) error {
	if p == nil {
		return nil
	}
	if err := Answers(p, system, updates, m); err != nil {
		return err
	}
	return p.WriteCompact(measurementFile(system, updates), m)
}

// Answers keeps what a system answered to the held-out problems. Equal answers give equal bytes.
func Answers(p Place, system string, updates int, m *measure.Measurement) error {
	list := m.TakeAnswers(system, updates)
	if len(list) == 0 {
		return nil
	}
	return p.WriteStream(store.AnswersFile(system, updates), func(w io.Writer) error {
		return store.WriteLines(w, func(enc func(any) error) error {
			for _, a := range list {
				if err := enc(a); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Measuring says which system is measured from now on. The measurement of the system before is kept as a whole, so what was kept of it problem by
// problem is removed.
func (f *Folder) Measuring(system string) {
	if f == nil {
		return
	}
	f.drop(f.system)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.system = system
}

package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/internal/folder"
	"parley/runs/store"
)

// A State says how far a run is.
type State string

const (
	Running     State = "running"     // a process is writing to it
	Finished    State = "finished"    // its report is about all that it has done
	Failed      State = "failed"      // its process ended with an error; it can be resumed
	Interrupted State = "interrupted" // none of these: it can be resumed
	Damaged     State = "damaged"     // its run.json or its report cannot be read
)

// A Summary is one run in a list of runs.
type Summary struct {
	Name       string  `json:"name"` // of the folder
	Dir        string  `json:"dir"`
	Kind       Kind    `json:"kind"`
	Runs       int     `json:"runs,omitempty"` // in it, of an experiment or a study
	Recipe     string  `json:"recipe"`
	Seed       int     `json:"seed"`
	State      State   `json:"state"`
	Problem    string  `json:"problem,omitempty"` // why it failed, or what is damaged
	Updates    int     `json:"updates"`           // with a line in metrics.jsonl
	Checkpoint int     `json:"checkpoint"`        // update of the newest one; 0: there is none
	Report     *Report `json:"report,omitempty"`  // about all updates
	// Reported is how many updates the report is about that is there, where the run has done more; 0: there is no such report.
	Reported int    `json:"reported_updates,omitempty"`
	Created  string `json:"created"` // RFC 3339
}

// A ReportError says that the report of a run cannot be read. All else is as it should be.
type ReportError struct{ error }

func (e *ReportError) Unwrap() error { return e.error }

// Summarise looks at the run in dir. A run of which something cannot be read is damaged; only what is no run is an error.
func Summarise(dir string) (Summary, error) { return SummariseBy(dir, store.Updated) }

// SummariseBy looks at the run in dir for one who keeps what is read: updated says the update of the last line of metrics.jsonl, as [store.Updated] does.
func SummariseBy(dir string, updated func(dir string) (int, error)) (Summary, error) {
	s := Summary{Name: filepath.Base(dir), Dir: dir, Kind: OneRun, State: Interrupted}
	meta, err := Read(dir)
	if _, ok := errors.AsType[*NotRunError](err); ok {
		return Summary{}, err
	}
	if err == nil {
		s.Recipe, s.Seed, s.Created = meta.Name, meta.Seed, meta.Created.Format(time.RFC3339)
	}
	if e := s.progress(updated); err == nil {
		err = e
	}
	if err != nil {
		s.State, s.Problem = Damaged, err.Error()
		if errors.As(err, new(*ReportError)) {
			s.Problem += "; this writes it again: " + Again(dir)
		}
		return s, nil
	}
	if f, failed := readFailure(dir); failed { // later than the report: a run that goes on removes it
		s.State, s.Problem = Failed, f.Error
	}
	if Locked(dir) {
		s.State, s.Problem = Running, ""
	}
	return s, nil
}

// progress finds out how far a run is, and whether its report is about all of that.
func (s *Summary) progress(updated func(dir string) (int, error)) (err error) {
	if s.Updates, err = updated(s.Dir); err != nil {
		return err
	}
	if s.gather(updated); s.Runs > 0 {
		s.Kind = Experiment
	}
	saved, err := Checkpoints(s.Dir)
	if err != nil {
		return err
	}
	if len(saved) > 0 {
		s.Checkpoint = saved[0]
	}
	report, err := ReadReport(s.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &ReportError{err}
	}
	if s.done(report, updated) > report.Updates {
		s.Reported = report.Updates
		return nil
	}
	s.State, s.Report = Finished, &report
	return nil
}

// done is how many updates a run has done that has a report: of an experiment, those of its runs that the report is about.
func (s *Summary) done(r Report, updated func(dir string) (int, error)) int {
	if len(r.Runs) == 0 {
		return s.Updates
	}
	sum := 0
	for _, name := range r.Runs {
		if one, err := SummariseBy(filepath.Join(s.Dir, name), updated); err == nil {
			sum += one.Updates
		}
	}
	return sum
}

// List summarises the runs, experiments and studies under root in the order of their names. Other folders are left out; a root that does not exist has none.
func List(root string) ([]Summary, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Summary
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if s, err := Summarise(dir); err == nil {
			list = append(list, s)
		} else if IsStudy(dir) {
			list = append(list, ofStudy(dir))
		}
	}
	return list, nil
}

// Remove deletes the run in dir, unless a process is writing to it.
func Remove(dir string) error {
	if !isRun(dir) {
		return &NotRunError{dir}
	}
	r, err := lockRun(dir)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove run: %w", err)
	}
	return nil
}

// UpdateOf reads the field "update" of a JSON object; ok is false when data is no complete object or has no such field.
func UpdateOf(data []byte) (update int, ok bool) { return store.UpdateOf(data) }

// ReadLines calls each with every whole line of a .jsonl file of the run in dir, without its line break. A run that has no
// such file yet has no lines. It needs no lock: a line that is being written is left out.
func ReadLines(dir, name string, each func(line []byte) error) error {
	data, err := folder.ReadFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	_, _, err = store.EachWhole(data, each)
	return err
}

// ReadSealed reads a file that [Run.WriteJSON] wrote into the run in dir, or an earlier release, into v. One that is another than was written
// wraps [folder.ErrDamaged].
func ReadSealed(dir, name string, v any) error { return store.ReadSealed(dir, name, v) }

// A WriteError says what could not be written to a run.
type WriteError = store.WriteError

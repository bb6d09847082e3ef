package runs

import (
	"os"
	"path/filepath"

	"parley/runs/store"
)

// A Kind says what a folder holds.
type Kind string

const (
	OneRun     Kind = "run"
	Experiment Kind = "experiment" // several runs of one recipe, each in a folder of its own
	Study      Kind = "study"      // several runs of several recipes, likewise
)

// StudyFile is the name of the file that makes a folder a study.
const StudyFile = "study.yaml"

// IsStudy says whether a folder is that of a study.
func IsStudy(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, StudyFile))
	return err == nil && info.Mode().IsRegular() && !isRun(dir)
}

// Inside lists the runs in the folder of an experiment or a study, in the order of their names; of another folder, none.
func Inside(dir string) (names []string) {
	if _, err := os.Lstat(filepath.Join(dir, store.MetricsFile)); err == nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != TrainedSingle && e.Name() != "checkpoints" && isRun(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// ofStudy summarises the folder of a study.
func ofStudy(dir string) Summary {
	s := Summary{Name: filepath.Base(dir), Dir: dir, Kind: Study, State: Finished}
	if !s.gather(store.Updated) {
		s.State = Interrupted
	}
	if _, err := os.Stat(filepath.Join(dir, "rows.jsonl")); err != nil {
		s.State = Interrupted // not all of it is done
	}
	if Locked(dir) {
		s.State = Running
	}
	return s
}

// gather adds up the runs inside the folder, and says whether all of them are finished.
func (s *Summary) gather(updated func(dir string) (int, error)) (finished bool) {
	finished = true
	for _, name := range Inside(s.Dir) {
		if one, err := SummariseBy(filepath.Join(s.Dir, name), updated); err == nil {
			s.Runs++
			s.Updates += one.Updates
			finished = finished && one.State == Finished
		}
	}
	return finished
}

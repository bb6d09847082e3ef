package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
)

// What is in the folder passing.
const (
	draftName = "draft-"   // what begins the names of folders that are written
	loadName  = "load-"    // and of those that are read
	replaced  = "replaced" // in a draft: the checkpoint whose name it takes
)

// clear makes the folder of what passes, and removes what a server of before left there. What is not of a server stays.
func (s *Store) clear() error {
	if err := os.MkdirAll(s.passing(), 0o700); err != nil {
		return err
	}
	left, err := os.ReadDir(s.passing())
	if err != nil {
		return err
	}
	for _, f := range left {
		dir := filepath.Join(s.passing(), f.Name())
		switch {
		case strings.HasPrefix(f.Name(), draftName):
			s.putBack(dir)
		case !strings.HasPrefix(f.Name(), loadName):
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// putBack gives a checkpoint its name again that was moved into a draft, where nothing has the name now.
func (s *Store) putBack(draft string) {
	old := filepath.Join(draft, replaced)
	a, err := read[About](filepath.Join(old, aboutFile))
	if err != nil || !runName.MatchString(a.Run) || !isKind(a.Kind) || !namePart.MatchString(a.Name) {
		return
	}
	_ = os.Rename(old, filepath.Join(s.folder(a.Run), a.Kind, a.Name)) // where a newer one has the name, that one stays
}

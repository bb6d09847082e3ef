package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/runs"
)

// A cached teacher is what one model said about the texts of a run.
type cached struct {
	Teacher string `json:"teacher"`
	Model   string `json:"model_sha256"`
	Corpus  string `json:"corpus_sha256"`
	Top     int    `json:"top"`
	Texts   []read `json:"texts"`
	HeldOut []read `json:"held_out"` // without rows
}

// cacheFile is where the run keeps the j-th teacher, from 1; 0 is the student before training.
func cacheFile(j int, name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, name)
	return fmt.Sprintf("teachers/%02d-%s.json", j, name[max(0, len(name)-60):])
}

// known reads the cache of a teacher; nil: there is none that can be used. The cache of another corpus, or of another teacher, is
// refused.
func known(dir, file string, want cached, note func(string)) (*cached, error) {
	var have cached
	err := runs.ReadSealed(dir, file, &have)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, folder.ErrDamaged):
		note(fmt.Sprintf("%v: %s reads the texts again", err, want.Teacher))
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the run's %s: %w", file, err)
	case have.Corpus != want.Corpus:
		return nil, usererror.Errorf("%s is what %s said about another corpus (%.12s…; the texts are now %.12s…): put the data set back, or start a new run", file, have.Teacher, have.Corpus, want.Corpus)
	case have.Model != want.Model:
		return nil, usererror.Errorf("%s is what another model said (%.12s…; %s is now %.12s…): put that back, or start a new run", file, have.Model, want.Teacher, want.Model)
	case have.Top != want.Top:
		return nil, usererror.Errorf("%s has the %d most probable tokens of every place, fuse.top is %d: start a new run", file, have.Top, want.Top)
	}
	return &have, nil
}

package episodes

import (
	"errors"
	"fmt"
	"io/fs"

	"parley/rl/rollout"
	"parley/runs"
)

// Whole calls do with each episode of an update, for counts over all of them. Damaged episodes are left out: left says which file and line, and
// why. If the file cannot be unpacked from some place on, the episodes behind it are left out too. An error is one of do, or of the file
// system.
func Whole(dir string, update int, do func(*rollout.Episode) error) (left []string, err error) {
	n, lost := 0, 0
	name := runs.EpisodeFile(update)
	say := func(format string, args ...any) { left = append(left, name+", "+fmt.Sprintf(format, args...)) }
	var own error
	err = runs.EpisodeLines(dir, update, func(line []byte) error {
		n++
		e, damage := rollout.ReadEpisode(line)
		if damage == nil {
			own = do(e)
			return own
		}
		if lost++; lost <= mostDamaged {
			say("line %d: %v", n, plain(damage))
		}
		return nil
	})
	if lost > mostDamaged {
		say("%d lines more", lost-mostDamaged)
	}
	switch {
	case own != nil:
		return left, own
	case err == nil, errors.As(err, new(*fs.PathError)):
		return left, err
	}
	say("behind line %d: %v", n, err)
	return left, nil
}

package live

import (
	"fmt"
	"strings"
	"time"

	"parley/train"
	"parley/train/progress"
)

// remaining says how long a training, and the whole run, still take, with the margin by which train --plan plans the rest of a run anew; empty: not
// known.
func remaining(e train.Event) string { return remainders(e)[0] }

// remainders are ways to say what remains, from all of it to nothing, for where there is little room.
func remainders(e train.Event) []string {
	left, total := "", ""
	if e.Left > 0 {
		left = e.Left.Round(time.Second).String() + " left"
	}
	if whole := e.TotalLeft.Round(time.Second); whole > e.Left.Round(time.Second) {
		total = whole.String() + " left in all"
	}
	join := func(parts ...string) string {
		var said []string
		for _, p := range parts {
			if p != "" {
				said = append(said, p)
			}
		}
		return strings.Join(said, ", ")
	}
	return []string{join(between(left, e.Left), between(total, e.TotalLeft)), join(between(left, e.Left), total), join(left, total), left, ""}
}

// between adds the least and the most to a time; nothing to none.
func between(said string, likely time.Duration) string {
	if said == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s to %s)", said, short(likely/progress.Margin), short(likely*progress.Margin))
}

// short writes a time without needless digits: a quarter of an hour without seconds, a day without minutes.
func short(d time.Duration) string {
	for _, unit := range []struct {
		from, of time.Duration
		nothing  string
	}{{24 * time.Hour, time.Hour, "0m0s"}, {15 * time.Minute, time.Minute, "0s"}} {
		if d >= unit.from {
			return strings.TrimSuffix(d.Round(unit.of).String(), unit.nothing)
		}
	}
	return d.Round(time.Second).String()
}

package labelled

import (
	"fmt"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// counts are the records that became no problem.
type counts struct {
	noLabel, broken, repeated, heldOut, verifier int

	reasons []string // of the first records without a usable answer, with their lines

	contradicting  int      // items that are one with an item before, but for the right answer
	contradictions []string // the first of them, with their lines
}

// mostReasons is how many of them an account gives.
const mostReasons = 3

// without counts a record that has no usable answer.
func (c *counts) without(line int, reason error) {
	if c.noLabel++; len(c.reasons) < mostReasons {
		c.reasons = append(c.reasons, fmt.Sprintf("line %d: %v", line, reason))
	}
}

// usable says how many records have no usable answer, and why the first of them have none.
func (c *counts) usable() string {
	if c.noLabel == 0 {
		return ""
	}
	return "without a usable answer (" + some(c.reasons, c.noLabel) + ")"
}

// contradict finds items that are one and have different right answers. The first of them counts; held-out items are before others.
func (t *Task) contradict(files ...[]row) {
	c, first := &t.counts, map[string]*row{}
	for _, rows := range files {
		for i := range rows {
			r := &rows[i]
			other, known := first[r.said]
			if !known {
				first[r.said] = r
				continue
			}
			if other.right == r.right {
				continue
			}
			if c.contradicting++; len(c.contradictions) < mostReasons {
				c.contradictions = append(c.contradictions, fmt.Sprintf("%s has the answer %.40q, %s %.40q",
					place(t.files[other.file], other.at.Line), other.truth, place(t.files[r.file], r.at.Line), r.truth))
			}
		}
	}
}

// contradictory says which rows have other answers than rows that ask the same; empty: none.
func (c *counts) contradictory() string {
	if c.contradicting == 0 {
		return ""
	}
	return fmt.Sprintf("%d rows ask what a row before asks and have another answer, and the first counts (%s)", c.contradicting, some(c.contradictions, c.contradicting))
}

// some are the first of so many.
func some(first []string, all int) string {
	if all > len(first) {
		first = append(slices.Clip(first), "…")
	}
	return strings.Join(first, "; ")
}

// holdOut divides the problems of a set without held-out ones: a hash of its group decides for each, one in five is held out.
func holdOut(all []row) (train, test []row) {
	groups := make([]string, len(all))
	for i := range all {
		groups[i] = all[i].groupKey()
	}
	return dataset.Divide(all, groups)
}

// split makes splits that share neither a question nor a group. Held-out problems have precedence over those for a verifier,
// which are the first of the training set (MAPoRL footnote 2 and App. E), and these over those that policies train on.
func (t *Task) split(train, test []row, verifier int) map[task.Split]*refs {
	seen, owner := map[string]bool{}, map[string]task.Split{}
	out := map[task.Split]*refs{task.Train: {}, task.Verifier: {}, task.Test: {}}
	place := func(item row, split task.Split) {
		said, group := item.said, item.groupKey()
		if by, taken := owner[group]; taken && by != split {
			t.counts.taken(by)
			return
		}
		if seen[said] {
			t.counts.repeated++
			return
		}
		seen[said], owner[group] = true, split
		out[split].add(item.file, item.at)
	}
	for _, item := range test {
		place(item, task.Test)
	}
	for _, item := range train {
		if out[task.Verifier].len() < verifier {
			place(item, task.Verifier)
		} else {
			place(item, task.Train)
		}
	}
	return out
}

func (c *counts) taken(by task.Split) {
	if by == task.Test {
		c.heldOut++
	} else {
		c.verifier++
	}
}

// Account says in one line how many problems each split has and what was left out.
func (t *Task) Account() string { return t.index.Account }

func (t *Task) account() string {
	s := fmt.Sprintf("%d training problems, %d for a verifier, %d held out, none in two of them",
		t.Count(task.Train), t.Count(task.Verifier), t.Count(task.Test))
	var left []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{t.counts.noLabel, t.counts.usable()},
		{t.counts.broken, "broken"},
		{t.counts.repeated, "repeated"},
		{t.counts.heldOut, "of a held-out question or text"},
		{t.counts.verifier, "of the verifier's"},
	} {
		if c.n > 0 {
			left = append(left, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(left) > 0 {
		s += "; left out: " + strings.Join(left, ", ")
	}
	if note := t.counts.contradictory(); note != "" {
		s += "; " + note
	}
	for _, note := range t.notes {
		s += "; " + note
	}
	return s
}

// LeftOut implements [task.Overlapper].
func (t *Task) LeftOut() int { return t.index.LeftOut }

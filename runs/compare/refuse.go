package compare

import "fmt"

// A RefusedError says why runs cannot be compared.
type RefusedError struct{ Reason string }

// Error implements error.
func (e *RefusedError) Error() string { return "cannot compare: " + e.Reason }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// comparable refuses runs whose scores are of other problems, or measured in another way, than those of the first.
func comparable(all []*one) error {
	first := all[0]
	for _, r := range all[1:] {
		for _, x := range []struct{ what, a, b string }{
			{"the task", first.report.Task, r.report.Task},
			{"the measure", first.measure.String(), r.measure.String()},
			{"the number of held-out problems", fmt.Sprint(first.report.Problems), fmt.Sprint(r.report.Problems)},
			{"what decides a score", first.report.Ruler, r.report.Ruler},
		} {
			if x.a != x.b && x.a != "" && x.b != "" {
				return refuse("%s of %s is %s, that of %s is %s", x.what, first.dir, x.a, r.dir, x.b)
			}
		}
		if err := sameProblems(first, r); err != nil {
			return err
		}
	}
	return nil
}

// sameProblems compares the fingerprints of the problems, or, where a run of an earlier release has none, the right answers to them.
func sameProblems(a, b *one) error {
	const why = ": scores of other problems cannot be set side by side. A task has other held-out problems with another file, with another eval.problems, or with task.filter.held_out"
	switch x, y := a.report.ProblemsSHA256, b.report.ProblemsSHA256; {
	case x != "" && y != "":
		if x != y {
			return refuse("the held-out problems of %s are not those of %s%s", a.dir, b.dir, why)
		}
	case a.truths == "" || b.truths == "":
		return refuse("one of %s and %s was made by a release that did not record its held-out problems: nobody can tell whether they are the same", a.dir, b.dir)
	case a.truths != b.truths:
		return refuse("the right answers to the held-out problems of %s are not those of %s%s", a.dir, b.dir, why)
	}
	return nil
}

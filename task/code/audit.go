package code

import (
	"context"
	"fmt"
	"maps"

	"parley/task"
)

// audit is the robust report (§7.2) on a submission that was scored in another way, for diagnoses. Tests that failed before are not
// run again, so that programs that hang or crash cost nothing more. nil: it is not asked for, it would cost too much here, or
// the submission has no time left for it.
func (sc Scorer) audit(ctx context.Context, r Report, e evidence) (*Report, error) {
	a := r
	switch {
	case sc.Variant == task.Robust:
		return &a, nil
	case sc.Variant == task.Compat || sc.Unaudited || !sc.Sandboxes.quick():
		return nil, nil
	case r.Total == 0:
		return &a, nil
	}
	a.Parts = maps.Clone(r.Parts)
	a.Parts[partUse], a.Parts[partNonWrapper], a.Parts[partIgnored] = 0, 0, 0
	passing, err := a.test(ctx, testsOf(e.passing), Scorer{Variant: task.Robust}.runner(e.run))
	if err != nil {
		return nil, fmt.Errorf("audit tests: %w", err)
	}
	a.Total, a.Parts[partTests] = r.Total, float64(len(passing))/float64(r.Total)
	if err := a.cooperation(ctx, e.run, passing, true); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if e.run.limits.Budget.Spent() {
		return nil, nil
	}
	return &a, nil
}

func testsOf(passing []witness) []Test {
	list := make([]Test, len(passing))
	for i, w := range passing {
		list[i] = w.Test
	}
	return list
}

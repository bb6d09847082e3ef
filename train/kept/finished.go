package kept

import (
	"errors"
	"io/fs"

	"parley/internal/usererror"
	"parley/runs"
)

// Finished is the report of a run that has been trained to its end. Only such a run has a trained team to measure.
func Finished(dir string) (runs.Report, error) {
	report, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report, usererror.Errorf("run %s has not finished training: go on with `%s`, or measure what there is with `%s`", dir,
			runs.Again(dir), usererror.Quote("parley", "run", "finish", dir))
	}
	return report, err
}

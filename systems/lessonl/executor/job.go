package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The ways in which programs are run.
const (
	ByTests = "tests"
	BySpeed = "speed"
)

// Run does what a message asks for: a [TestJob] or a [SpeedJob] in JSON. It returns the report, or an error if there is none in time.
func (e *Executor) Run(ctx context.Context, way, message string) (string, error) {
	if e.settings.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.settings.Deadline, fmt.Errorf("the executor has not answered within %v", e.settings.Deadline))
		defer cancel()
	}
	text, err := e.report(ctx, way, message)
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return text, err
}

func (e *Executor) report(ctx context.Context, way, message string) (string, error) {
	if way == ByTests {
		var job TestJob
		if err := read(message, &job, `{"program": "…", "tests": "…"}`); err != nil {
			return "", err
		}
		t, err := e.Tests(ctx, job)
		return t.String(), err
	}
	var job SpeedJob
	if err := read(message, &job, `{"program": "…", "source": "…", "entry": "…", "inputs": "…"}`); err != nil {
		return "", err
	}
	if job.Inputs == "" {
		return "", errors.New("the executor has no inputs to measure the program with: the problem has to have some")
	}
	m, err := e.Speed(ctx, job)
	return m.String(), err
}

func read(message string, job any, form string) error {
	d := json.NewDecoder(strings.NewReader(message))
	d.DisallowUnknownFields()
	if err := d.Decode(job); err != nil {
		return fmt.Errorf("the executor is sent %.60q, expected %s: %w", message, form, err)
	}
	return nil
}

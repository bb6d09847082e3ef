package code

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"time"

	"parley/sandbox"
)

//go:embed python/*.py
var pythonFiles embed.FS

// A Lab runs submissions. Its two pools never mix: one runs what agents wrote, the other tests and examinations.
type Lab struct {
	programs *sandbox.Pool
	trusted  *sandbox.Pool
	seats    chan struct{} // one for each worker of a pool: a test that has one never waits for a worker
}

// OpenLab starts the sandboxes: workers tests run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenLab(ctx context.Context, workers int) (*Lab, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	modules, err := modules()
	if err != nil {
		return nil, err
	}
	o := sandbox.Options{Workers: workers, Modules: modules}
	l := &Lab{seats: make(chan struct{}, workers)}
	if l.programs, err = sandbox.Open(ctx, o); err != nil {
		return nil, err
	}
	if l.trusted, err = sandbox.Open(ctx, o); err != nil {
		l.programs.Close()
		return nil, err
	}
	return l, nil
}

// Close ends all sandboxes.
func (l *Lab) Close() error { return errors.Join(l.programs.Close(), l.trusted.Close()) }

// modules are this package's Python files, by the names that they import each other with, in the order of need.
func modules() ([]sandbox.Module, error) {
	var list []sandbox.Module
	for _, name := range []string{"structure", "cooperation", "published", "calls", "examine"} {
		source, err := fs.ReadFile(pythonFiles, path.Join("python", name+".py"))
		if err != nil {
			return nil, fmt.Errorf("read the program's own Python: %w", err)
		}
		list = append(list, sandbox.Module{Name: "parley_" + name, Source: string(source)})
	}
	return list, nil
}

// A counterfactual says in which way a program is run differently.
type counterfactual int

const (
	asWritten   counterfactual = iota
	perturbed1                 // aux returns other values: v+1, v+v, …
	perturbed2                 // aux returns other values: −v−1, empty, …
	passThrough                // aux is tested in the place of main
)

// An outcome is that of one test.
type outcome int

const (
	failed outcome = iota
	passed
	timedOut
)

// A trial is a submission whose tests are run.
type trial struct {
	lab    *Lab
	entry  string
	facts  Examination
	limits sandbox.Limits
}

// together runs a test in the program's own process.
func (t trial) together(ctx context.Context, test Test) (outcome, error) {
	t.lab.seats <- struct{}{}
	defer func() { <-t.lab.seats }()
	success := successCode(t.facts.Program, test.Source)
	r, err := t.lab.programs.Run(ctx, sandbox.Program{
		Source: "import parley_calls\nparley_calls.together(argument)",
		Argument: map[string]any{"program": t.facts.Program, "entry": t.entry, "candidate": t.facts.Candidate,
			"setup": orEmpty(test.Setup), "source": test.Source, "success": success},
		Limits: t.limits,
	})
	return outcomeOf(r, success), err
}

// apart runs a test in one sandbox and the program in another.
func (t trial) apart(ctx context.Context, test Test, c counterfactual) (outcome, error) {
	t.lab.seats <- struct{}{}
	defer func() { <-t.lab.seats }()
	tests, program, err := sandbox.SocketPair()
	if err != nil {
		return failed, err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		entry, variant := t.entry, int(c)
		if c == passThrough {
			entry, variant = "aux", 0
		}
		// How the program ends says nothing: the test's own process decides.
		_, _ = t.lab.programs.Run(ctx, sandbox.Program{
			Source:   "import parley_calls\nparley_calls.serve(argument)",
			Argument: map[string]any{"program": t.facts.Program, "entry": entry, "variant": variant},
			Channel:  program, Limits: t.limits,
		})
	}()
	r, err := t.lab.trusted.Run(ctx, sandbox.Program{
		Source: "import parley_calls\nparley_calls.judge(argument)",
		Argument: map[string]any{"prelude": t.facts.Prelude, "candidate": t.facts.Candidate, "entry": t.entry,
			"setup": orEmpty(test.Setup), "source": test.Source},
		Channel: tests, Limits: t.limits,
	})
	cancel()
	<-served
	return outcomeOf(r, 0), err
}

func outcomeOf(r sandbox.Result, success int) outcome {
	switch {
	case r.Status == sandbox.TimedOut:
		return timedOut
	case r.Status == sandbox.Exited && r.Code == success:
		return passed
	}
	return failed
}

// successCode is between 64 and 255 and a function of what is run, so that scores are, and programs cannot tell it.
func successCode(program, test string) int {
	sum := sha256.Sum256([]byte(program + "\x00" + test))
	return 64 + int(sum[0])*192/256
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// limitsOf are those of a test; programs print into nothing.
func limitsOf(perTest time.Duration, memory int64) sandbox.Limits {
	return sandbox.Limits{Wall: perTest, Memory: memory}
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/service"
	"parley/task/sandbox"
)

// snippet is what a model is told of the function python.
var snippet = Function{
	Name:        python,
	Description: "Run a snippet of Python 3. What it prints is the result, and the value of a last line that is an expression.",
	Parameters:  json.RawMessage(`{"type": "object", "properties": {"code": {"type": "string", "description": "the snippet"}}, "required": ["code"]}`),
}

const (
	grace       = time.Second // that Python has to tell of its own lateness
	longest     = 1 << 20     // bytes of what a function of a file answers
	describing  = 10 * time.Second
	triesOfLost = 2 // of a call whose sandbox is lost, which is the machine's fault or the code's
)

// A job is what the driver gets.
type job struct {
	Do        string          `json:"do"` // describe, call or run
	Name      string          `json:"name"`
	Source    string          `json:"source"`
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
	Seconds   float64         `json:"seconds"`
}

// open opens the sandboxes, once.
func (f *Functions) open(ctx context.Context) (err error) {
	if f.pool == nil {
		f.pool, err = sandbox.Open(ctx, sandbox.Options{Modules: []sandbox.Module{{Name: "parley_tools", Source: service.PythonDriver(annotations + driver)}}})
	}
	return err
}

// do runs a job. A sandbox that is lost twice is an error.
func (f *Functions) do(ctx context.Context, j job, within time.Duration, output int) (r sandbox.Result, err error) {
	if j.Arguments == nil {
		j.Arguments = json.RawMessage("{}")
	}
	j.Seconds = within.Seconds()
	for range triesOfLost {
		r, err = f.pool.Run(ctx, sandbox.Program{
			Source: "import parley_tools\nparley_tools.once(argument)", Argument: j, Limits: sandbox.Limits{Wall: within + grace, Output: output},
		})
		if err != nil || r.Status != sandbox.Lost {
			return r, err
		}
	}
	return r, errors.New("it took its sandbox with it")
}

// describe lists the functions of a file that are tools.
func (f *Functions) describe(ctx context.Context, name, source string) ([]Function, error) {
	r, err := f.do(ctx, job{Do: "describe", Name: name, Source: source}, describing, longest)
	if err != nil {
		return nil, err
	}
	var out struct {
		Functions []Function
		Others    []string
		Error     string
	}
	switch err := json.Unmarshal(r.Stdout, &out); {
	case !r.OK() || err != nil:
		return nil, fmt.Errorf("its functions cannot be read (%s, code %d): %.200s", r.Status, r.Code, r.Stderr)
	case out.Error != "":
		return nil, errors.New(out.Error)
	case len(out.Functions) == 0:
		return nil, fmt.Errorf("it has no function that is a tool, which is a def at top level with a docstring and annotated parameters; %s", strings.Join(append(out.Others, "write one"), "; "))
	}
	return out.Functions, nil
}

// fileCaller calls a function of a file. What the function prints is thrown away.
func (f *Functions) fileCaller(name, source, function string) caller {
	return func(ctx context.Context, arguments json.RawMessage) (Result, error) {
		r, err := f.do(ctx, job{Do: "call", Name: name, Source: source, Function: function, Arguments: arguments}, f.limits.Deadline, longest)
		if err != nil {
			return Result{}, fmt.Errorf("%s of %s: %w", function, name, err)
		}
		var out struct {
			Result *string
			Error  string
		}
		if !r.OK() || json.Unmarshal(r.Stdout, &out) != nil || out.Result == nil && out.Error == "" {
			return wrong("%s", f.why(r, longest)), nil
		}
		if out.Result == nil {
			return wrong("%s", out.Error), nil
		}
		return Result{Text: *out.Result}, nil
	}
}

// snippet runs a snippet. What it printed up to a mishap is part of the result.
func (f *Functions) snippet(ctx context.Context, arguments json.RawMessage) (Result, error) {
	r, err := f.do(ctx, job{Do: "run", Arguments: arguments}, f.limits.Deadline, f.limits.Output)
	if err != nil {
		return Result{}, fmt.Errorf("a snippet of Python: %w", err)
	}
	printed := strings.TrimRight(string(r.Stdout), "\n")
	if r.OK() {
		return Result{Text: printed, Failed: strings.HasPrefix(printed[strings.LastIndex(printed, "\n")+1:], "error: ")}, nil
	}
	out := wrong("%s", f.why(r, f.limits.Output))
	if most := f.limits.Output - len(out.Text) - 1; printed != "" && most > 0 {
		out.Text = printed[:min(most, len(printed))] + "\n" + out.Text
	}
	return out, nil
}

// why says how a call ended that gave nothing.
func (f *Functions) why(r sandbox.Result, most int) string {
	switch r.Status {
	case sandbox.TimedOut:
		return fmt.Sprintf("no result within %v", f.limits.Deadline)
	case sandbox.Signaled:
		return fmt.Sprintf("signal %d ended it", r.Code)
	case sandbox.Flooded:
		return fmt.Sprintf("it wrote more than %d bytes", most)
	}
	return fmt.Sprintf("it left the interpreter with exit code %d", r.Code)
}

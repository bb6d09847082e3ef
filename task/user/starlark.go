package user

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"

	"parley/internal/bounded"
	"parley/internal/service"
	"parley/internal/service/web"
)

// file is the name of the text in errors.
const file = "expression"

// A starlarkReward scores calls with a few lines of Starlark, a small dialect of Python that runs inside parley:
//
//	1.0 if item["truth"] in responses[0] else 0.0
//
// An expression sees item, responses and math; a text that is no expression is a program that defines reward(item, responses). Each call starts
// with nothing of the calls before. Its steps, its time and what it makes are bounded. It may be used by several goroutines.
type starlarkReward struct {
	function starlark.Callable
	limits   bounded.Limits // of one call
}

// newStarlark reads a text: an expression, or a program with a function reward.
func newStarlark(ctx context.Context, text string, deadline time.Duration) (*starlarkReward, error) {
	r := &starlarkReward{limits: bounded.Limits{Steps: 20_000_000, Bytes: 256 << 20, Time: deadline}}
	environment := starlark.StringDict{starmath.Module.Name: starmath.Module}
	if bounded.CheckExpression(file, text) == nil {
		text = "def reward(item, responses): return (" + text + "\n)" // on one line, so that lines keep their numbers
	}
	thread := r.thread(ctx)
	defer thread.stop()
	globals, err := bounded.Exec(thread.Thread, file, text, environment)
	if err != nil {
		return nil, bounded.Trace(err)
	}
	function, ok := globals["reward"].(starlark.Callable)
	if !ok {
		return nil, errors.New("the text is no expression and defines no function reward(item, responses)")
	}
	r.function = function
	return r, nil
}

// thread is one that ends with the caller's context.
type thread struct {
	*starlark.Thread
	stop func()
}

func (r *starlarkReward) thread(ctx context.Context) thread {
	t := r.limits.Thread(file)
	ended := context.AfterFunc(ctx, func() { t.Cancel(context.Cause(ctx).Error()) })
	return thread{t, func() { ended() }}
}

// Ask scores calls, {"item":{…},"responses":[…]}.
func (r *starlarkReward) Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error) {
	replies := make([]service.Reply, len(requests))
	web.Each(len(requests), runtime.GOMAXPROCS(0), func(i int) { // each may take its bytes
		body, err := r.ask(ctx, string(requests[i]))
		replies[i] = service.Reply{Body: body, Err: bounded.Trace(err)}
	})
	return replies, ctx.Err()
}

func (r *starlarkReward) ask(ctx context.Context, request string) (json.RawMessage, error) {
	t := r.thread(ctx)
	defer t.stop()
	call, err := starlark.Call(t.Thread, starjson.Module.Members["decode"], starlark.Tuple{starlark.String(request)}, nil)
	if err != nil {
		return nil, err
	}
	item, responses, err := starlarkParts(call)
	if err != nil {
		return nil, err
	}
	value, err := starlark.Call(t.Thread, r.function, starlark.Tuple{item, responses}, nil)
	if err != nil {
		return nil, err
	}
	text, err := bounded.Encode(t.Thread, value)
	if err != nil {
		return nil, fmt.Errorf("it returned %s, expected a finite number", bounded.Show(value))
	}
	return json.RawMessage(text), nil
}

// starlarkParts takes a call apart.
func starlarkParts(call starlark.Value) (item, responses starlark.Value, err error) {
	fields, ok := call.(*starlark.Dict)
	if !ok {
		return nil, nil, errors.New("a call is a JSON object")
	}
	item, _, _ = fields.Get(starlark.String("item"))
	responses, _, _ = fields.Get(starlark.String("responses"))
	return item, responses, nil
}

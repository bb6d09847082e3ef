package external

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"parley/internal/bounded"
	"parley/internal/seed"
	"parley/team"
)

// script speaks by a function in Starlark, a small dialect of Python without files, clocks and randomness of its own:
//
//	def speak(messages, problem):
//	    return "Check the units." if "km" in problem.question else "Fine."
//
// messages are the agent's chat, such as {"role": "user", "content": "…"}; problem has .id, .question and .fields, and never its truth. Beside
// them a script sees json, math, and draw(n), a number from 0 to n-1 from the stream of the reply. It keeps nothing between calls.
type script struct {
	place string
	speak starlark.Callable
}

// limits bound one reply.
var limits = bounded.Limits{Steps: 1_000_000, Bytes: 64 << 20, Time: 10 * time.Second}

// streamKey is where a thread holds what draw draws from in one reply.
const streamKey = "stream"

func newScript(place, text string) (*script, error) {
	s := &script{place: place}
	known := starlark.StringDict{
		starjson.Module.Name: starjson.Module, starmath.Module.Name: starmath.Module, "draw": starlark.NewBuiltin("draw", draw),
	}
	globals, err := bounded.Exec(limits.Thread(place), place, text, known)
	if err != nil {
		return nil, bounded.Plainly(err)
	}
	f, ok := globals["speak"].(*starlark.Function)
	if !ok {
		return nil, fmt.Errorf("%s defines no function speak(messages, problem)", place)
	}
	if f.NumParams() != 2 || f.HasVarargs() || f.HasKwargs() {
		return nil, fmt.Errorf("%s: speak has %d parameters, expected speak(messages, problem)", f.Position(), f.NumParams())
	}
	s.speak = f
	return s, nil
}

// Kind implements [team.Speaker].
func (s *script) Kind() string { return "script" }

// Speak implements [team.Speaker].
func (s *script) Speak(ctx context.Context, asks []team.SpeakerAsk) ([]team.Reply, error) {
	replies := make([]team.Reply, len(asks))
	for i, a := range asks {
		replies[i].Text, replies[i].Err = s.reply(ctx, a)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return replies, nil
}

func (s *script) reply(ctx context.Context, a team.SpeakerAsk) (string, error) {
	t := limits.Thread(s.place)
	t.SetLocal(streamKey, seed.Stream(a.Seed))
	defer context.AfterFunc(ctx, func() { t.Cancel(context.Cause(ctx).Error()) })()
	v, err := starlark.Call(t, s.speak, starlark.Tuple{messages(a), problem(a.Public())}, nil)
	if err != nil {
		return "", bounded.Plainly(err)
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return "", fmt.Errorf("%s: speak returned %s, expected a text", s.place, bounded.Show(v))
	}
	return boundedText(text)
}

// messages are the chat as a list of dicts.
func messages(a team.SpeakerAsk) starlark.Value {
	list := make([]starlark.Value, len(a.Messages))
	for i, m := range a.Messages {
		d := starlark.NewDict(2)
		_ = d.SetKey(starlark.String("role"), starlark.String(m.Role)) // texts are hashable, and nobody iterates
		_ = d.SetKey(starlark.String("content"), starlark.String(m.Content))
		list[i] = d
	}
	return starlark.NewList(list)
}

func problem(p team.SpeakerProblem) starlark.Value {
	fields := starlark.NewDict(len(p.Fields))
	for name, text := range p.Fields {
		_ = fields.SetKey(starlark.String(name), starlark.String(text))
	}
	return starlarkstruct.FromStringDict(starlark.String("problem"), starlark.StringDict{
		"id": starlark.String(p.ID), "question": starlark.String(p.Question), "fields": fields,
	})
}

// draw is draw(n).
func draw(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var n int
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "n", &n); err != nil {
		return nil, err
	}
	from, ok := t.Local(streamKey).(*rand.Rand)
	if !ok {
		return nil, errors.New("draw works within speak only")
	}
	if n < 1 || bits.Len(uint(n)) > 31 {
		return nil, fmt.Errorf("draw(%d): expected a number from 1 to 2147483647", n)
	}
	return starlark.MakeInt(from.IntN(n)), nil
}

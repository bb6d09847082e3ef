// Package user scores responses with what a user wrote instead of Go: a Python file, a program, a Starlark expression, or a server.
//
//	r, err := user.Open(ctx, user.Settings{Python: "reward.py", Isolated: true, Most: 1, Deadline: 10 * time.Second})
//	verdicts, err := r.Score(ctx, []user.Call{{Item: item, Responses: []string{"…", "…"}}})
//
// All of them get the same call, {"item":{…},"responses":["…"]}, and give the same answer: a number, or an object
// {"reward":0.5,"parts":{"short":0.5},"flags":["long"]}. A call without a finite number inside the declared range has failed: its
// verdict is an error, which holds the user's own traceback where there is one, and never a number.
package user

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/internal/tie"
	"parley/internal/usererror"
	"parley/task"
	"parley/task/sandbox"
)

// Settings say who scores, which is exactly one of the first four, and within which bounds.
type Settings struct {
	Python     string   // a file with def reward(item, responses)
	Command    []string // a program that answers JSON lines
	Expression string   // Starlark: an expression over item and responses, or a program with def reward(item, responses)
	URL        string   // of a server that is asked by POST

	Isolated bool   // Python: each call in a sandbox; else all calls in one child process with the rights of its user
	Key      string // URL: sent as a bearer token; empty: none

	Least, Most float64       // of a reward
	Deadline    time.Duration // of one call
	Retries     int           // of a call that a program or a server did not answer
	Memory      int64         // Python: bytes; 0: the sandbox's default, and no bound outside of it
}

// A Call is what is scored: one response per agent to an item, a JSON object.
type Call struct {
	Item      json.RawMessage `json:"item"`
	Responses []string        `json:"responses"`
}

// A Verdict is the score of a call, or why there is none.
type Verdict struct {
	Score task.Score
	// Own holds what agents are paid beside the team, in agent order, where the answer is a list; those by name are in the score.
	Own []float64
	Err error
}

// A source answers requests, which are calls in JSON.
type source interface {
	Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error)
}

// A Reward scores calls. Its methods are safe for concurrent use.
type Reward struct {
	source      source
	least, most float64
}

// Open starts what scores. Where Python cannot be isolated the error is a [*sandbox.Unavailable].
func Open(ctx context.Context, s Settings) (*Reward, error) {
	if !(s.Least < s.Most) {
		return nil, fmt.Errorf("user reward: the range is [%g, %g]: write the least and the greatest reward", s.Least, s.Most)
	}
	r := &Reward{least: s.Least, most: s.Most}
	var err error
	switch {
	case s.Python != "" && s.Isolated:
		r.source, err = openIsolated(ctx, s)
	case s.Python != "":
		r.source, err = openChild(s)
	case len(s.Command) > 0:
		r.source = &service.Program{Command: s.Command, Deadline: s.Deadline, Retries: s.Retries, Check: answers}
	case s.Expression != "":
		r.source, err = newStarlark(ctx, s.Expression, s.Deadline)
	case s.URL != "":
		var at web.Place
		if at, err = web.Locate("reward.user.url", s.URL, s.Key); err == nil {
			r.source, err = openServer(ctx, s, at)
		}
	default:
		err = errors.New("nothing scores: write python, command, expression or url")
	}
	if errors.As(err, new(*usererror.Error)) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("user reward: %w", err)
	}
	return r, nil
}

// openChild starts no process yet: that is for the first call.
func openChild(s Settings) (*service.Program, error) {
	if _, err := os.Stat(s.Python); err != nil {
		return nil, err
	}
	command := []string{service.Python(), "-u", "-c", service.PythonDriver(driver) + "\nserve(*sys.argv[1:])", s.Python, fmt.Sprint(s.Deadline.Seconds()), fmt.Sprint(s.Memory)}
	// The process reports by itself that it is late, with the line that it was at. The host's deadline is for a process
	// that cannot.
	return &service.Program{Command: command, Name: s.Python, Deadline: s.Deadline + sandbox.Grace, Retries: s.Retries, Check: answers}, nil
}

// Range returns the least and the greatest reward.
func (r *Reward) Range() (least, greatest float64) { return r.least, r.most }

// Score scores all calls, several at a time. An error is about all of them.
func (r *Reward) Score(ctx context.Context, calls []Call) ([]Verdict, error) {
	requests := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		var err error
		if requests[i], err = json.Marshal(c); err != nil {
			return nil, fmt.Errorf("user reward: %w", err)
		}
	}
	replies, err := r.source.Ask(ctx, requests)
	if err != nil {
		return nil, fmt.Errorf("user reward: %w", err)
	}
	verdicts := make([]Verdict, len(calls))
	for i, reply := range replies {
		verdicts[i] = r.verdict(reply)
	}
	return verdicts, nil
}

// Read reads what a program of the user's says that it has earned, in the long form of an answer, with each number from least to most.
func Read(said []byte, least, most float64) (Verdict, error) {
	r := Reward{least: least, most: most}
	v := r.verdict(service.Reply{Body: said})
	return v, v.Err
}

// verdict reads a reply and checks that its reward is one.
func (r *Reward) verdict(reply service.Reply) Verdict {
	if reply.Err != nil {
		return Verdict{Err: reply.Err}
	}
	v, err := parse(reply.Body)
	if err == nil {
		v.Score.Reward, err = r.within("the reward", v.Score.Reward)
	}
	for i := range v.Own {
		if err == nil {
			v.Own[i], err = r.within(fmt.Sprintf("the reward of agent %d", i+1), v.Own[i])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Score.Agents)) {
		if err == nil {
			v.Score.Agents[name], err = r.within(fmt.Sprintf("the reward of agent %.80q", name), v.Score.Agents[name])
		}
	}
	if err != nil {
		return Verdict{Err: err}
	}
	return v
}

// An OutOfRange error is about a reward outside of the declared range.
type OutOfRange struct {
	What        string
	Reward      float64
	Least, Most float64
}

func (e *OutOfRange) Error() string {
	return fmt.Sprintf("%s is %v, outside of the declared range [%g, %g]: change what it returns, or %s", e.What, e.Reward, e.Least, e.Most, usererror.Word("reward.user.min and reward.user.max", "reward_range=(low, high)"))
}

// within is a reward inside of the declared range, to rounding.
func (r *Reward) within(what string, x float64) (float64, error) {
	clipped, ok := tie.Clip(x, r.least, r.most)
	if !ok {
		return 0, &OutOfRange{what, x, r.least, r.most}
	}
	return clipped, nil
}

// Batched says that many calls are asked for at once, so that they had better come together.
func (r *Reward) Batched() bool {
	s, ok := r.source.(*server)
	return ok && s.batch > 1
}

// Close ends what scores.
func (r *Reward) Close() error {
	if c, ok := r.source.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

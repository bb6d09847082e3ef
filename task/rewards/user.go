package rewards

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/task"
	"parley/task/user"
)

// A NoReward error says why a user's own reward has none for some responses. Others may have rewards.
type NoReward struct{ Reason error }

func (e *NoReward) Error() string { return e.Reason.Error() }

func (e *NoReward) Unwrap() error { return e.Reason }

// fileSettings are those of a user's own reward; a file of Starlark and a server have some of them.
var fileSettings = []string{"least", "most", "seconds", "isolated", "memory_mb", "retries", "key_env"}

// ownKind recognises a user's own reward by its name: FILE.py, FILE.star, or an address of the web.
func ownKind(name string) (kind, bool) {
	switch {
	case strings.HasSuffix(name, ".py"):
		return kind{fileSettings[:6], openOwn}, true
	case strings.HasSuffix(name, ".star"):
		return kind{fileSettings[:3], openOwn}, true
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return kind{[]string{"least", "most", "seconds", "retries", "key_env"}, openOwn}, true
	}
	return kind{}, false
}

func openOwn(ctx context.Context, name string, s Settings) (*Scorer, error) {
	o, err := s.own()
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(name, ".py"):
		o.Python = name
	case strings.HasSuffix(name, ".star"):
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, wrong("%v", err)
		}
		o.Expression = string(text)
	default:
		o.URL = name
	}
	return Own(ctx, o)
}

// own reads the settings of a user's own reward. Their defaults are those of recipes.
func (s Settings) own() (user.Settings, error) {
	o := user.Settings{Isolated: s["isolated"] != "false", Most: 1, Deadline: 10 * time.Second, Retries: 2, Memory: 512 << 20}
	if text, ok := s["isolated"]; ok && text != "true" && text != "false" {
		return o, wrong("isolated is %q: write true or false", text)
	}
	seconds, memory, retries := 10.0, 512.0, 2.0
	for name, to := range map[string]*float64{"least": &o.Least, "most": &o.Most, "seconds": &seconds, "memory_mb": &memory, "retries": &retries} {
		text, ok := s[name]
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x < 0 && name != "least" && name != "most" {
			return o, wrong("%s is %q: write a number", name, text)
		}
		*to = x
	}
	o.Deadline, o.Memory, o.Retries = time.Duration(seconds*float64(time.Second)), int64(memory)<<20, int(retries)
	if name := s["key_env"]; name != "" {
		if o.Key = os.Getenv(name); o.Key == "" {
			return o, wrong("key_env is %s, but that environment variable is not set", name)
		}
	}
	return o, nil
}

// Own returns the scorer of a user's own reward. An item is any JSON object, which the reward gets as it is.
func Own(ctx context.Context, o user.Settings) (*Scorer, error) {
	r, err := user.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Scorer{least: 1, most: mostAgents, close: r.Close, read: readAny, score: func(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
		verdicts, err := r.Score(ctx, []user.Call{{Item: json.RawMessage(p.Question), Responses: responses}})
		if err != nil {
			return task.Score{}, err
		}
		if err := verdicts[0].Err; err != nil {
			return task.Score{}, &NoReward{err}
		}
		return verdicts[0].Score, nil
	}}, nil
}

// readAny keeps the text of an item.
func readAny(_ string, r io.Reader) ([]task.Problem, error) {
	item, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return []task.Problem{{Question: string(item)}}, json.Unmarshal(item, &map[string]any{})
}

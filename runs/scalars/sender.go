package scalars

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/goccy/go-yaml"

	"parley/internal/folder"
	"parley/internal/plainfile"
	"parley/runs"
)

// stateFile is where the run's folder keeps a [state].
const stateFile = "mlflow.json"

// A state says which run of which server a run is, and what that knows.
type state struct {
	URL        string `json:"url"`
	Experiment string `json:"experiment"`
	Key        string `json:"key"` // a tag of the run, chosen before it is made
	Run        string `json:"run_id,omitempty"`
	Sent       int    `json:"sent"` // all updates up to this one
}

// A sender sends to one run of the server.
type sender struct {
	dir     string
	options MLflowOptions
	client  *client
	state   state
	open    bool // the server knows the run, and that it is running
	ended   bool // the server knows that it is finished
}

func newSender(dir string, o MLflowOptions) *sender {
	s := &sender{dir: dir, options: o, client: newClient(o.URL, o.Token)}
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if err == nil && json.Unmarshal(data, &s.state) == nil && s.state.URL == o.URL && s.state.Experiment == o.Experiment {
		return s
	}
	s.state = state{URL: o.URL, Experiment: o.Experiment}
	return s
}

// connect finds the run on the server, or makes it.
func (s *sender) connect(ctx context.Context) error {
	if s.open {
		return nil
	}
	if s.state.Run == "" {
		if err := s.create(ctx); err != nil {
			return err
		}
	} else if err := s.client.status(ctx, s.state.Run, running, time.Time{}); err != nil {
		return err
	}
	s.open = true
	return nil
}

// create makes the run with its parameters. Its key is in the folder before: where a process was killed, or an answer did not arrive, the server
// may have the run already. The run's id is kept once the server has all parameters.
func (s *sender) create(ctx context.Context) error {
	meta, err := runs.Read(s.dir)
	if err != nil {
		return err
	}
	experiment, err := s.client.experiment(ctx, s.options.Experiment)
	if err != nil {
		return err
	}
	id, err := s.made(ctx, experiment)
	if err != nil {
		return err
	}
	if id == "" {
		if id, err = s.client.newRun(ctx, experiment, s.options.Name, meta.Created, s.tags(meta)); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(params(meta.Recipe), mostParams) {
		if err := s.client.log(ctx, id, "params", part); err != nil {
			return err
		}
	}
	s.state.Run = id
	return s.save()
}

// made returns the id of the run where the server has it; the first time it chooses the run's key instead.
func (s *sender) made(ctx context.Context, experiment string) (string, error) {
	if s.state.Key == "" {
		s.state.Key = rand.Text()
		return "", s.save()
	}
	return s.client.findRun(ctx, experiment, s.state.Key)
}

func (s *sender) tags(meta runs.Meta) []pair {
	return []pair{{keyTag, s.state.Key}, {"parley.version", meta.Parley}, {"parley.task", meta.Task}, {"parley.seed", strconv.Itoa(meta.Seed)}, {"parley.kernels", meta.Kernels}}
}

func (s *sender) save() error {
	data, err := json.MarshalIndent(s.state, "", " ")
	if err != nil {
		return err
	}
	return folder.WriteFile(filepath.Join(s.dir, stateFile), append(data, '\n'))
}

// send sends steps, without those that the server has, and returns those that are left after an error.
func (s *sender) send(ctx context.Context, steps []Step) ([]Step, error) {
	known := s.state.Sent
	steps = slices.DeleteFunc(slices.Clone(steps), func(x Step) bool { return x.Update <= known })
	if err := s.connect(ctx); err != nil {
		return steps, err
	}
	for len(steps) > 0 {
		n, list := batch(steps)
		for part := range slices.Chunk(list, mostMetrics) {
			if err := s.client.log(ctx, s.state.Run, "metrics", part); err != nil {
				return steps, err
			}
		}
		s.state.Sent = steps[n-1].Update
		steps = steps[n:]
		if err := s.save(); err != nil {
			return steps, err
		}
	}
	return nil, nil
}

// batch takes as many steps as the server takes numbers at once, but one at least.
func batch(steps []Step) (n int, list []metric) {
	for n = 0; n < len(steps) && (n == 0 || len(list)+len(steps[n].Scalars) <= mostMetrics); n++ {
		list = append(list, metrics(steps[n])...)
	}
	return n, list
}

func metrics(x Step) []metric {
	var out []metric
	for _, v := range x.Scalars {
		out = append(out, metric{Key: name(v.Name), Value: v.Value, Timestamp: x.At.UnixMilli(), Step: x.Update})
	}
	return out
}

// finish sends the results and says that the run is finished.
func (s *sender) finish(ctx context.Context, last Step, results []Scalar) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	last.Scalars = results
	if err := s.client.log(ctx, s.state.Run, "metrics", metrics(last)); err != nil {
		return err
	}
	if err := s.client.status(ctx, s.state.Run, finished, time.Now()); err != nil {
		return err
	}
	s.ended = true
	return nil
}

// interrupted says that nothing more comes for now.
func (s *sender) interrupted(ctx context.Context, end time.Time) error {
	if s.ended || !s.open {
		return nil
	}
	return s.client.status(ctx, s.state.Run, killed, end)
}

// name is a number's name with what MLflow allows in one.
func name(s string) string {
	return strings.Map(func(c rune) rune {
		if c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) || strings.ContainsRune("_-. /", c) {
			return c
		}
		return '_'
	}, s)
}

// params are the keys of a recipe with their values as text. A text that is too long for the server is cut. What no recipe can be has none.
func params(recipe string) []pair {
	var tree map[string]any
	if !plainfile.BoundedYAML(recipe) || yaml.Unmarshal([]byte(recipe), &tree) != nil {
		return nil
	}
	return flattenRecipe(nil, "", tree)
}

func flattenRecipe(out []pair, path string, tree map[string]any) []pair {
	for _, part := range slices.Sorted(maps.Keys(tree)) {
		key := name(strings.TrimPrefix(path+"."+part, "."))
		if inner, ok := tree[part].(map[string]any); ok {
			out = flattenRecipe(out, key, inner)
			continue
		}
		out = append(out, pair{key, clip(fmt.Sprint(tree[part]))})
	}
	return out
}

func clip(s string) string {
	if runes := []rune(s); len(runes) > mostText {
		return string(runes[:mostText])
	}
	return s
}

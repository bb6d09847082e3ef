package scalars

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/service/web"
)

// A client speaks MLflow's REST interface, version 2.0.
type client struct {
	base  string // of the server
	token string // empty: none
	http  *http.Client
}

const longestReply = 1 << 20 // bytes

// patience is the longest that one request may take.
const patience = 20 * time.Second

func newClient(server, token string) *client {
	polite := web.NewClient(patience)
	polite.Timeout = patience
	return &client{strings.TrimRight(server, "/") + "/api/2.0/mlflow/", token, polite}
}

// A refusal is the server's answer to a request that it does not take.
type refusal struct {
	status  int
	after   time.Duration // for which the server asks to be left alone
	Code    string        `json:"error_code"`
	Message string        `json:"message"`
}

func (r *refusal) Error() string {
	if r.Code == "" {
		return http.StatusText(r.status)
	}
	return r.Code + ": " + r.Message
}

// newRefusal reads a refusal. Its words are short and printable; where a proxy answers in another form there are none.
func newRefusal(reply *http.Response, data []byte) *refusal {
	r := &refusal{status: reply.StatusCode, after: web.Asked(reply)}
	if json.Unmarshal(data, r) != nil {
		r.Code, r.Message = "", ""
	}
	r.Code, r.Message = web.Words([]byte(r.Code), 100), web.Words([]byte(r.Message), 1000)
	return r
}

// lasting reports whether the same request will not do better later.
func lasting(err error) bool {
	if errors.As(err, new(*web.StatusError)) || errors.As(err, new(*web.RedirectError)) {
		return true // it is redirected
	}
	var r *refusal
	return errors.As(err, &r) && r.status < 500 && r.status != http.StatusTooManyRequests && r.status != http.StatusRequestTimeout
}

// asked is for how long the server asks to be left alone.
func asked(err error) time.Duration {
	if busy := new(refusal); errors.As(err, &busy) {
		return busy.after
	}
	return 0
}

// get asks; answer is filled in from the reply.
func (c *client) get(ctx context.Context, path string, query url.Values, answer any) error {
	return c.do(ctx, http.MethodGet, path+"?"+query.Encode(), nil, answer)
}

// post sends an object; answer is filled in from the reply, unless it is nil.
func (c *client) post(ctx context.Context, path string, object, answer any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.do(ctx, http.MethodPost, path, body, answer)
}

func (c *client) do(ctx context.Context, method, path string, body []byte, answer any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	reply, err := c.http.Do(req)
	if err != nil {
		return web.Cause(err)
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 == 3 {
		return web.Failure(reply)
	}
	data, err := web.Read(reply, longestReply)
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		return newRefusal(reply, data)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("answer to %s: %w", path, err)
	}
	return nil
}

// experiment returns the id of an experiment, which is made where there is none.
func (c *client) experiment(ctx context.Context, name string) (string, error) {
	var found struct {
		Experiment struct {
			ID string `json:"experiment_id"`
		}
	}
	err := c.get(ctx, "experiments/get-by-name", url.Values{"experiment_name": {name}}, &found)
	var r *refusal
	if !errors.As(err, &r) || r.Code != "RESOURCE_DOES_NOT_EXIST" {
		return found.Experiment.ID, err
	}
	var made struct {
		ID string `json:"experiment_id"`
	}
	err = c.post(ctx, "experiments/create", map[string]string{"name": name}, &made)
	return made.ID, err
}

// A pair is a tag or a parameter.
type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// newRun makes a run and returns its id.
func (c *client) newRun(ctx context.Context, experiment, name string, start time.Time, tags []pair) (string, error) {
	var made struct {
		Run struct {
			Info struct {
				ID string `json:"run_id"`
			}
		}
	}
	err := c.post(ctx, "runs/create", map[string]any{"experiment_id": experiment, "run_name": name, "start_time": start.UnixMilli(), "tags": tags}, &made)
	return made.Run.Info.ID, err
}

// keyTag is the tag of a run that says which of all it is.
const keyTag = "parley.key"

// findRun returns the id of the run of an experiment with this key; empty: there is none.
func (c *client) findRun(ctx context.Context, experiment, key string) (string, error) {
	var found struct {
		Runs []struct {
			Info struct {
				ID string `json:"run_id"`
			}
		}
	}
	err := c.post(ctx, "runs/search", map[string]any{"experiment_ids": []string{experiment}, "filter": fmt.Sprintf("tags.`%s` = '%s'", keyTag, key), "max_results": 1}, &found)
	if err != nil || len(found.Runs) == 0 {
		return "", err
	}
	return found.Runs[0].Info.ID, nil
}

// status says how a run is: RUNNING, FINISHED or KILLED. One that has ended has a time of its end.
func (c *client) status(ctx context.Context, run, status string, end time.Time) error {
	object := map[string]any{"run_id": run, "status": status}
	if status != running {
		object["end_time"] = end.UnixMilli()
	}
	return c.post(ctx, "runs/update", object, nil)
}

const (
	running  = "RUNNING"
	finished = "FINISHED"
	killed   = "KILLED"
)

// A metric is one number of one step.
type metric struct {
	Key       string  `json:"key"`
	Value     float64 `json:"value"`
	Timestamp int64   `json:"timestamp"` // milliseconds since 1970
	Step      int     `json:"step"`
}

// The most that the server takes at once.
const (
	mostMetrics = 1000
	mostParams  = 100
	mostText    = 500 // characters of a parameter, in the oldest servers
)

// log sends to a run: metrics, at most mostMetrics of them, or params, at most mostParams.
func (c *client) log(ctx context.Context, run, kind string, list any) error {
	return c.post(ctx, "runs/log-batch", map[string]any{"run_id": run, kind: list}, nil)
}

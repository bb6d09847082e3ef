package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/task"
	"parley/task/environment"
)

// mostErrors is how many actions in a row may be none.
const mostErrors = 3

// An openEnv is an episode at an OpenEnv server: a connection.
type openEnv struct {
	server          *web.Server
	action, observe string // as in [External]
	socket          *web.Socket
	errors          int // in a row
}

// openEnvAddress is where the server takes connections.
func openEnvAddress(address string) (string, error) {
	u, err := url.Parse(address)
	schemes := map[string]string{"ws": "http", "wss": "https", "http": "http", "https": "https"}
	if err != nil || u.Host == "" || schemes[u.Scheme] == "" {
		return "", fmt.Errorf("is %.80q, expected an address of ws, wss, http or https", address)
	}
	if u.Scheme = schemes[u.Scheme]; path.Base(u.Path) != "ws" {
		u = u.JoinPath("ws")
	}
	return u.String(), nil
}

// openEnvFaults are what is wrong with the keys of such a server.
func (s Source) openEnvFaults(in task.Team) []task.Fault {
	_, err := openEnvAddress(s.OpenEnv)
	switch {
	case s.OpenEnv == "" && s.Action != "" && s.Action != "message":
		return []task.Fault{{Key: "environment.action", Message: "has no effect without environment.openenv", Hint: "leave it out"}}
	case s.OpenEnv == "" && s.Observe != "":
		return []task.Fault{{Key: "environment.observe", Message: "has no effect without environment.openenv", Hint: "leave it out"}}
	case s.OpenEnv == "":
		return nil
	case err != nil:
		return []task.Fault{{Key: "environment.openenv", Message: err.Error(), Hint: "write for example openenv: ws://127.0.0.1:8000"}}
	case s.Action == "":
		return []task.Fault{{Key: "environment.action", Message: "is empty, expected the key of an action that gets the agent's words", Hint: "write json if they are the action"}}
	case in.Actors > 1:
		return []task.Fault{{Key: "environment.openenv", Message: fmt.Sprintf("knows one agent, but %d act in one step", in.Actors), Hint: "let each step act name one"}}
	}
	return nil
}

// ask says a call in the words of OpenEnv, and what it answers in parley's.
func (o *openEnv) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	var call struct {
		Call    string
		Item    map[string]json.RawMessage
		Actions map[string]string
	}
	err := json.Unmarshal(request, &call)
	var body map[string]any
	switch {
	case err != nil:
	case call.Call == "reset":
		body, err = o.reset(ctx, call.Item)
	default:
		body, err = o.step(ctx, call.Actions)
	}
	var r service.Reply
	if err == nil {
		r.Body, err = json.Marshal(body)
	}
	r.Err = err
	return r, service.Left(ctx, o.server.Name())
}

// reset begins the episode. A server that has no room is asked again until the deadline.
func (o *openEnv) reset(ctx context.Context, item map[string]json.RawMessage) (map[string]any, error) {
	var seed float64
	if given := item["seed"]; !absent(given) && (json.Unmarshal(given, &seed) != nil || seed < 0) {
		return nil, fmt.Errorf("seed of the item is %.80s, expected 0 or more", given)
	}
	item = maps.Clone(item)
	delete(item, "id")
	room, stop := context.WithTimeout(ctx, o.server.Deadline)
	defer stop()
	for failures := 1; ; failures++ {
		body, err := o.begin(ctx, item)
		told, is := errors.AsType[*openEnvError](err)
		if !is || told.Code != "CAPACITY_REACHED" || room.Err() != nil {
			return body, err
		}
		select {
		case <-time.After(web.Pause(o.server.Pause, failures)):
		case <-room.Done():
		}
	}
}

func (o *openEnv) begin(ctx context.Context, item map[string]json.RawMessage) (body map[string]any, err error) {
	if o.socket != nil {
		o.socket.Close()
	}
	if o.socket, err = o.server.Dial(ctx); err != nil {
		return nil, err
	}
	return o.exchange(ctx, "reset", item)
}

// step says what the agent said. Words that are no action are an observation.
func (o *openEnv) step(ctx context.Context, actions map[string]string) (map[string]any, error) {
	if len(actions) != 1 {
		return nil, fmt.Errorf("%d agents act at once, and at an OpenEnv server there is one", len(actions))
	}
	name := slices.Collect(maps.Keys(actions))[0]
	action, err := o.actionOf(actions[name])
	var body map[string]any
	if err == nil {
		body, err = o.exchange(ctx, "step", action)
	}
	told, is := errors.AsType[*openEnvError](err)
	if !is || !told.ofAction() {
		o.errors = 0
		return body, err
	}
	if o.errors++; o.errors == mostErrors {
		return nil, fmt.Errorf("%d answers in a row were no action: %w", mostErrors, err)
	}
	return map[string]any{"observations": "ERROR: " + told.Message, "info": environment.Illegal(name)}, nil
}

// actionOf are the words of an agent as an action.
func (o *openEnv) actionOf(words string) (any, error) {
	if o.action != "json" {
		return map[string]string{o.action: words}, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(words), &object) != nil || object == nil {
		return nil, &openEnvError{"an action is a JSON object", "VALIDATION_ERROR"}
	}
	return object, nil
}

// An openEnvError is one that the server says.
type openEnvError struct{ Message, Code string }

func (e *openEnvError) Error() string { return e.Code + ": " + service.Own(e.Message).Error() }

// ofAction says that the episode goes on.
func (e *openEnvError) ofAction() bool {
	return e.Code == "VALIDATION_ERROR" || e.Code == "EXECUTION_ERROR"
}

// exchange sends a message, and reads the observation that it is answered with.
func (o *openEnv) exchange(ctx context.Context, kind string, data any) (map[string]any, error) {
	message, err := json.Marshal(map[string]any{"type": kind, "data": data})
	if err != nil {
		return nil, err
	}
	reply, err := o.socket.Ask(ctx, message)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Type string
		Data struct {
			openEnvError
			Observation, Reward, Done json.RawMessage
		}
	}
	err = json.Unmarshal(reply, &answer)
	switch told := answer.Data; {
	case err == nil && answer.Type == "error" && told.Code != "":
		return nil, &told.openEnvError
	case err != nil || answer.Type != "observation":
		return nil, fmt.Errorf(`%.80q is no answer, expected {"type":"observation","data":{…}}`, reply)
	}
	text, err := seen(answer.Data.Observation, o.observe)
	return map[string]any{"observations": text, "reward": answer.Data.Reward, "done": answer.Data.Done}, err
}

// seen is what an observation has at a dotted path, as a text.
func seen(body json.RawMessage, at string) (string, error) {
	for part := range strings.SplitSeq(at, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		i, err := strconv.Atoi(part)
		switch {
		case at == "":
		case json.Unmarshal(body, &object) == nil && object[part] != nil:
			body = object[part]
		case json.Unmarshal(body, &list) == nil && err == nil && 0 <= i && i < len(list):
			body = list[i]
		default:
			return "", fmt.Errorf("the observation has no %s, which task.environment.observe names: %.200s", at, body)
		}
	}
	var text string
	if len(body) == 0 {
		return "", errors.New("the answer has no observation")
	}
	if json.Unmarshal(body, &text) == nil && !absent(body) {
		return text, nil
	}
	var b bytes.Buffer
	err := json.Indent(&b, body, "", "  ")
	return b.String(), err
}

// end tells the server that the episode is over, which closes the connection.
func (o *openEnv) end(ctx context.Context) {
	if o.socket == nil {
		return
	}
	ctx, cancel := service.Parting(ctx, o.server.Deadline)
	defer cancel()
	_, _ = o.socket.Ask(ctx, []byte(`{"type":"close"}`)) // what it answers does not matter
	o.socket.Close()
}

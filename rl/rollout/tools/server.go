package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
)

// served says that a name is the address of a server, or of what the program that started parley answers.
func served(name string) bool { return web.OfHost(name) || serverAddress.MatchString(name) }

var (
	serverAddress = regexp.MustCompile(`^https?://[^/]`)
	functionName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
)

const (
	mostServed       = 128 // functions of a server
	callsAtOnce      = 8   // at a server
	retriesOfCall    = 2   // of one that got no answer
	unansweredWithin = time.Hour
)

// addServer adds the functions that a server tells of.
func (f *Functions) addServer(ctx context.Context, name string) error {
	at, err := web.Locate("team.tools.use", name, "")
	if err != nil {
		return err
	}
	about, err := at.About(ctx)
	if err != nil {
		return err
	}
	list, err := readServed(about.Tools)
	if err != nil {
		return err
	}
	// A call is bounded by the context, in which its time does not begin before it is its turn.
	s := &serverCalls{at.Server(unansweredWithin, retriesOfCall), f.limits.Deadline, make(chan struct{}, callsAtOnce)}
	for _, function := range list {
		err = errors.Join(err, f.put(function, s.caller(function.Name)))
	}
	return err
}

// readServed reads what a server tells of its functions.
func readServed(told json.RawMessage) ([]Function, error) {
	var list []Function
	if json.Unmarshal(told, &list) != nil || len(list) == 0 || len(list) > mostServed {
		return nil, fmt.Errorf(`it answers {"call":"about"} without 1 to %d functions: {"tools":[{"name","description","parameters"}]}`, mostServed)
	}
	for _, function := range list {
		var s shape
		switch {
		case !functionName.MatchString(function.Name):
			return nil, fmt.Errorf("it tells of a function %.80q, expected a name of letters, digits, _ and -", function.Name)
		case json.Unmarshal(function.Parameters, &s) != nil || s.Type != "object":
			return nil, fmt.Errorf(`the parameters of %s are %.80s, expected a JSON schema of type object`, function.Name, function.Parameters)
		}
	}
	return list, nil
}

// serverCalls are those of a server's functions.
type serverCalls struct {
	web      *web.Server
	deadline time.Duration
	slots    chan struct{}
}

// caller calls a function of a server. What the server says is wrong is a result; that it does not answer is the machine's error.
func (s *serverCalls) caller(name string) caller {
	return func(ctx context.Context, arguments json.RawMessage) (Result, error) {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
		defer func() { <-s.slots }()
		limited, stop := context.WithTimeout(ctx, s.deadline)
		defer stop()
		var said struct {
			Result *string `json:"result"`
			Error  string  `json:"error"`
		}
		err := s.web.Post(limited, map[string]any{"call": "tool", "name": name, "arguments": arguments}, func(body []byte) error {
			said.Result, said.Error = nil, ""
			if json.Unmarshal(body, &said) != nil || said.Result == nil && said.Error == "" {
				return fmt.Errorf(`%.80s is neither {"result": TEXT} nor {"error": TEXT}`, body)
			}
			return nil
		})
		switch {
		case err != nil && limited.Err() != nil && ctx.Err() == nil:
			return wrong("no result within %v", s.deadline), nil
		case err != nil:
			return Result{}, err
		case said.Result == nil:
			return wrong("%w", service.Own(said.Error)), nil
		}
		return Result{Text: *said.Result}, nil
	}
}

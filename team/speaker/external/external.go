// Package external is the speakers that users write: a few lines of Starlark, a program, or an OpenAI-compatible server.
//
//	s, err := external.Open(external.Settings{Script: "critic.star"})
//
//	script.go    a function of what the agent sees, with bounded steps
//	program.go   a program that answers JSON lines
//	endpoint.go  a server that completes chats
//
// Programs and servers are first asked when their agent speaks. Whatever they do, a reply is a text of bounded length or an error that says what
// went wrong.
package external

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"parley/engine/openai"
	"parley/internal/service"
	"parley/team"
)

// Settings say who speaks, which is exactly one of the first three, and within which bounds.
type Settings struct {
	Script  string   // Starlark: a text with def speak(messages, problem)
	Program []string // a command
	Server  *openai.Server

	Place  string   // of a script, for errors: its file
	Model  string   // Server: the name of the model there
	Stop   []string // Server: texts that end a reply
	Stream bool     // Server: replies come piece by piece

	Deadline time.Duration // of one reply of a program
	Retries  int           // of one that did not come
}

// Open reads a script. Of a program or a server nothing is asked yet.
func Open(s Settings) (team.Speaker, error) {
	switch {
	case s.Script != "":
		return newScript(s.Place, s.Script)
	case len(s.Program) > 0:
		return &program{&service.Program{Command: s.Program, Deadline: s.Deadline, Retries: s.Retries, Check: hasText}}, nil
	case s.Server != nil:
		return &endpoint{server: s.Server, model: s.Model, stop: s.Stop, stream: s.Stream}, nil
	}
	return nil, errors.New("nothing speaks for the agent: write script, program or endpoint")
}

// mostText is the most bytes of a text.
const mostText = 1 << 18

// boundedText returns a text, or says why it is none: it is too long, or not UTF-8.
func boundedText(text string) (string, error) {
	switch {
	case len(text) > mostText:
		return "", fmt.Errorf("the text has %d bytes, more than %d", len(text), mostText)
	case !utf8.ValidString(text):
		return "", errors.New("the text is not UTF-8")
	}
	return text, nil
}

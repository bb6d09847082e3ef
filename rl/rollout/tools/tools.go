// Package tools lets an agent call functions within its turn.
//
//	a, err := tools.New(model, functions, tools.Settings{Calls: 4, ResultTokens: 256, Form: "auto"})
//	actor.Codec, actor.Tools = a, a
//
// What an agent writes up to a call, the result, and what it writes behind it are one completion: its own tokens stay as they were sampled,
// and results are inserted between them (see [rollout.Completion]). A [Form] reads calls, package functions runs them, and this package
// puts both into the base's chat template: its tools argument in prompts, its tool role for results. Bases whose template knows no tools
// have form text: a call stands between two marks, and its result follows the second one in the same text.
package tools

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/model"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/rl/rollout"
	"parley/team"
)

// Auto is the form that the base's chat template has.
const Auto = "auto"

// Settings say how calls are written and how many there may be.
type Settings struct {
	Calls        int // most of a turn
	ResultTokens int // most of a result
	Form         string
	Open, Close  string       // marks of form text
	Stops        *model.Stops // texts that end answers; nil: none do
}

// An Agent writes in the form of a base and may call functions. It is the codec of an actor and its tools.
type Agent struct {
	*model.Model
	functions *Functions
	settings  Settings
	form      Form
	marked    *Marked // nil: results have the template's tool role
	told      []any   // what prompts say of the functions
}

// New returns an agent over a base. It is an error where the base's chat template does not know the form.
func New(m *model.Model, f *Functions, s Settings) (*Agent, error) {
	a := &Agent{Model: m, functions: f, settings: s}
	name := s.Form
	if name == Auto {
		var known bool
		if name, known = FormOf(m.ToolForm()); !known {
			return nil, errors.New("the chat template of its base knows no tools: write team.tools.form: text, or the form that the base was made with")
		}
	}
	if name == Text {
		a.marked = &Marked{Open: s.Open, Close: s.Close, Functions: f.Names()}
		a.form = *a.marked
		return a, nil
	}
	var known bool
	if a.form, known = formByName(name); !known {
		return nil, fmt.Errorf("there is no form of calls %q", name)
	}
	for _, function := range f.List {
		data, err := json.Marshal(function)
		if err != nil {
			return nil, err
		}
		object, err := jinja.DecodeJSON(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", function.Name, err)
		}
		a.told = append(a.told, jinja.NewObject("type", "function", "function", object))
	}
	return a, a.probe()
}

// Stopping returns the agent with texts that end its answers; nil: none do.
func (a *Agent) Stopping(stops *model.Stops) *Agent {
	out := *a
	out.settings.Stops = stops
	return &out
}

// Base is the model that writes.
func (a *Agent) Base() *model.Model { return a.Model }

// probe renders a turn with a call, which templates may refuse.
func (a *Agent) probe() error {
	t := &turn{Agent: a, dialogue: []team.Message{{Role: team.User, Content: "Is it?"}}}
	t.calls = []Call{{Name: a.functions.Names()[0], Arguments: json.RawMessage("{}")}}
	if _, err := t.insert([]Result{{Text: "yes"}}); err != nil {
		return fmt.Errorf("the chat template of its base cannot go on behind the result of a tool: %w", err)
	}
	return nil
}

// Prompt implements [rollout.Codec]: the template is told of the functions. In form text the recipe's own prompts tell of them.
func (a *Agent) Prompt(dialogue []team.Message) ([]int, error) {
	if a.marked != nil {
		return a.Model.Prompt(dialogue)
	}
	ids, err := a.PromptOf(a.input(messages(dialogue)))
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return ids, nil
}

// input is a conversation that the model goes on with.
func (a *Agent) input(list []chat.Message) chat.Input {
	return chat.Input{Messages: list, Tools: a.told, AddGenerationPrompt: true, Now: a.Now}
}

func messages(dialogue []team.Message) []chat.Message {
	list := make([]chat.Message, len(dialogue))
	for i, m := range dialogue {
		list[i] = chat.NewMessage(string(m.Role), m.Content)
	}
	return list
}

// Turn implements [rollout.Tools].
func (a *Agent) Turn(dialogue []team.Message) rollout.ToolTurn {
	return &turn{Agent: a, dialogue: dialogue, left: a.settings.Calls}
}

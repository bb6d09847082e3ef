package keys

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/model/form"
	"parley/recipe/schema"
)

// A Schema is a JSON schema that answers have to satisfy: the name of a file, or the schema itself with a line break behind it, as texts that stand in the place of files
// have one. A line break alone is that an agent has none, whatever the team has.
type Schema string

const noSchema Schema = "\n"

// Kind implements [schema.Tree].
func (*Schema) Kind() string { return "file, or JSON schema" }

// Read implements [schema.Tree].
func (s *Schema) Read(n schema.Node) {
	const example = "write for example move.json, or {type: object, properties: {move: {type: integer}}, required: [move]}"
	if name, ok := n.Text(); ok {
		if *s = Schema(name); name == "" && strings.HasPrefix(n.Path, "team.agents.") { // the team has none either way
			*s = noSchema
		}
		return
	}
	if _, ok := n.Pairs(); !ok {
		n.Expect("a file or a schema", example)
		return
	}
	text, ok := n.JSON()
	if !ok {
		n.Fail(n.Path+" has something that is no JSON", example)
		return
	}
	*s = Schema(text + "\n")
}

// Write implements [schema.Tree].
func (s *Schema) Write(string) string {
	if text, inline := s.inline(); inline {
		return " " + text
	}
	name, _ := json.Marshal(strings.TrimSuffix(string(*s), "\n"))
	return " " + string(name)
}

// inline is the schema itself, where it is no file.
func (s Schema) inline() (string, bool) {
	text, inline := strings.CutSuffix(string(s), "\n")
	return text, inline && text != ""
}

// A Form is what an agent's answers are texts of: of at most one of a schema and an expression.
type Form struct {
	Key    string // such as sampling.schema
	Schema Schema
	Regex  string
}

// Forced says that there is one.
func (f Form) Forced() bool { return f.Schema != "" && f.Schema != noSchema || f.Regex != "" }

// File is the file that the schema is in; empty: it is not in a file.
func (f Form) File() string {
	if _, inline := f.Schema.inline(); inline || f.Schema == noSchema {
		return ""
	}
	return string(f.Schema)
}

// Text is the form as package form reads it; file has the content of its file. The error names the key.
func (f Form) Text(file []byte) (string, error) {
	if !f.Forced() {
		return "", nil
	}
	text := form.OfRegex(f.Regex)
	if f.Regex == "" {
		data := file
		if inline, ok := f.Schema.inline(); ok {
			data = []byte(inline)
		}
		var err error
		if text, err = form.OfSchema(data); err != nil {
			return "", fmt.Errorf("%s: %w", f.Key, err)
		}
	}
	if _, err := form.Parse(text); err != nil {
		return "", fmt.Errorf("%s: %w", f.Key, err)
	}
	return text, nil
}

// Form is that of the team.
func (s Sampling) Form() Form {
	f := Form{Key: "sampling.schema", Schema: s.Schema, Regex: s.Regex}
	if s.Regex != "" {
		f.Key = "sampling.regex"
	}
	return f
}

// Form is that of an agent, whose own takes the place of the team's.
func (a Agent) Form(team Sampling) Form {
	s := a.Sampling
	if s.Schema == "" && s.Regex == nil {
		return team.Form()
	}
	f := Form{Key: "team.agents." + a.Name + ".sampling.schema", Schema: s.Schema}
	if s.Regex != nil && *s.Regex != "" {
		f.Key, f.Regex = "team.agents."+a.Name+".sampling.regex", *s.Regex
	}
	return f
}

// FormFault says what is wrong with the forms of a team, and the key to point at, as far as the recipe tells: files are not read. others says that agents
// have settings of their own.
func (t Team) FormFault(team Sampling, others bool) (key, fault string) {
	agents := []Agent{{}}
	if others {
		agents = append(agents, t.Agents.Named...)
	}
	for _, a := range agents {
		if f := a.Form(team); a.Speaker() == "" || a.Speaker() == "endpoint" {
			if fault := t.formFault(team, a, f); fault != "" {
				return f.Key, fault
			}
		}
	}
	return "", ""
}

// formFault says what is wrong with the form of one agent.
func (t Team) formFault(team Sampling, a Agent, f Form) string {
	stop, least, tools := a.Sampling.Stop, a.Sampling.MinTokens, a.Tools
	if len(stop) == 0 {
		stop = team.Stop
	}
	if least == nil {
		least = &team.MinTokens
	}
	if len(tools) == 0 {
		tools = t.Tools.Use
	}
	switch {
	case f.Schema != "" && f.Schema != noSchema && f.Regex != "":
		return fmt.Sprintf("%s is set beside a schema, and an answer has one form: leave one out", f.Key)
	case !f.Forced():
	case len(stop) > 0:
		return fmt.Sprintf("%s is set beside sampling.stop, which could end an answer before it has its form: leave stop out", f.Key)
	case *least > 0:
		return fmt.Sprintf("%s is set beside sampling.min_tokens, and the form alone says where an answer may end: write min_tokens: 0", f.Key)
	case len(tools) > 0:
		return fmt.Sprintf("%s is set beside tools, whose calls have another form: leave one out", f.Key)
	case f.File() == "":
		if _, err := f.Text(nil); err != nil {
			return err.Error()
		}
	}
	return ""
}

package labelled

import (
	"fmt"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// read makes a problem of a row.
func (s DataSettings) read(data []byte) (Item, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Item{}, err
	}
	question, before, ending, err := s.asked(r)
	if err != nil {
		return Item{}, fmt.Errorf("%w; task.question names the key of the question", err)
	}
	id, err := r.Text("id")
	if err != nil {
		return Item{}, err
	}
	p := task.Problem{ID: strings.TrimSpace(id), Question: strings.TrimSpace(question), Before: before, Fields: s.fields(r)}
	if s.Match == None {
		return Item{Problem: p, AllFields: true}, nil
	}
	right, err := s.right(r, ending)
	if err != nil {
		return Item{}, fmt.Errorf("%w; task.answer names the key of the right answer, and task.match none needs no answers", err)
	}
	if s.Match == Choice {
		options, err := s.options(p)
		if err != nil {
			return Item{}, err
		}
		if p.Canonical, err = options.right(right, isInteger(r.Value(string(s.Answer)))); err != nil {
			return Item{}, err
		}
		p.Question = options.asked(p.Question)
	} else if p.Canonical, err = s.rightForm(right); err != nil {
		return Item{}, err
	}
	if p.Truth = right; p.Canonical == p.Truth {
		p.Canonical = ""
	}
	return Item{Problem: p, AllFields: true}, nil
}

// asked is the question of a row. That of a chat is its last message of the user; before are those above it, and ending is what the assistant says
// below it, empty: nothing.
func (s DataSettings) asked(r dataset.Record) (question string, before []task.Message, ending string, err error) {
	key := string(s.Question)
	chat, is, err := r.Messages(key)
	if err != nil || !is {
		if err == nil {
			question, err = r.Required(key)
		}
		return question, nil, "", err
	}
	last := len(chat) - 1
	if chat[last].Role == "assistant" {
		ending, last = chat[last].Content, last-1
	}
	if last < 0 || chat[last].Role != "user" {
		return "", nil, "", fmt.Errorf("%s: its last message, but for an answer of the assistant, is not the user's: there is no question", key)
	}
	for _, m := range chat[:last] {
		before = append(before, task.Message{Role: m.Role, Content: m.Content})
	}
	if question = chat[last].Content; strings.TrimSpace(question) == "" {
		return "", nil, "", fmt.Errorf("%s: the last message of the user is empty", key)
	}
	return question, before, ending, nil
}

// right is the right answer as a row has it: under its key, where a chat may be whose last message it is, or else what ends the chat of the question.
func (s DataSettings) right(r dataset.Record, ending string) (string, error) {
	key := string(s.Answer)
	chat, is, err := r.Messages(key)
	switch {
	case err != nil:
		return "", err
	case is:
		return chat[len(chat)-1].Content, nil
	case strings.TrimSpace(ending) != "" && !r.Has(key):
		return ending, nil
	}
	return r.Required(key)
}

// fields are all other keys of a row, as texts. Of an object that the question or the answer is in, the other keys are fields by themselves.
func (s DataSettings) fields(r dataset.Record) map[string]string {
	fields := map[string]string{}
	s.addFields(fields, "", r)
	return fields
}

func (s DataSettings) addFields(fields map[string]string, within string, r dataset.Record) {
	for _, key := range r.Keys() {
		path := within + key
		if s.Hides(path) {
			continue
		}
		if s.Opens(path) {
			if inner, object := r.Object(key); object {
				s.addFields(fields, path+".", inner)
				continue
			}
		}
		fields[path] = r.Plain(key)
	}
}

// Hides implements [task.Hider].
func (s DataSettings) Hides(key string) bool {
	return key == string(s.Question) || key == string(s.Answer) && s.Match != None
}

// Opens implements [task.Hider]: the question or the answer is in the object under a key.
func (s DataSettings) Opens(key string) bool {
	return strings.HasPrefix(string(s.Question), key+".") || strings.HasPrefix(string(s.Answer), key+".") && s.Match != None
}

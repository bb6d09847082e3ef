package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// AddRow adds what the record of a problem says beside: every key as a field, for prompts and rewards, and the record's own id where the
// problem has none yet. Texts are as they are, other values in JSON; null is nothing. Fields that the reader of the format has made stay as
// they are, and so does what the question says already. A record that is no object adds nothing.
func (p *Problem) AddRow(record []byte) {
	var row map[string]json.RawMessage
	if json.Unmarshal(record, &row) != nil {
		return
	}
	made := p.Fields
	p.Fields = make(map[string]string, len(row))
	for key, value := range row {
		if text, is := rowText(value); is && strings.TrimSpace(text) != p.Question {
			p.Fields[key] = text
		}
	}
	maps.Copy(p.Fields, made)
	if id, has := rowText(row["id"]); has && p.ID == "" {
		p.ID = id
	}
}

// Rows makes a reader of a data set's records from a reader of problems: what a record says beside comes along ([Problem.AddRow]), and a
// problem without an id is named after its line.
func Rows(read func(record []byte) (Problem, error)) func(line int, record []byte) (Problem, error) {
	return func(line int, record []byte) (Problem, error) {
		p, err := read(record)
		if err != nil {
			return p, err
		}
		if p.AddRow(record); p.ID == "" {
			p.ID = fmt.Sprintf("line-%d", line)
		}
		return p, nil
	}
}

// rowText is the text of a value: a string's own, or what another value is in JSON. There is none of null.
func rowText(value json.RawMessage) (text string, is bool) {
	if len(value) == 0 || string(value) == "null" {
		return "", false
	}
	if json.Unmarshal(value, &text) == nil {
		return text, true
	}
	return string(value), true
}

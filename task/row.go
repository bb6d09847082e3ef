package task

import (
	"encoding/json"
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

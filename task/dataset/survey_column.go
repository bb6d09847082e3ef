package dataset

import (
	"encoding/json"
	"slices"
	"strings"
)

// kindOf is what a JSON value is.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "text"
	case '[':
		return "list"
	case '{':
		return "object"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(string(value), ".eE") {
		return "number"
	}
	return "integer"
}

// mostDeep is how many objects deep columns are listed.
const mostDeep = 4

// columnsOf are the keys of a record, and behind each object those in it, with dots between.
func columnsOf(r Record, within string) (keys []string) {
	for _, key := range r.Keys() {
		path := within + key
		keys = append(keys, path)
		if inner, object := r.Object(key); object && strings.Count(path, ".") < mostDeep {
			keys = append(keys, columnsOf(inner, path+".")...)
		}
	}
	return keys
}

// typeOf is what the value of a column is.
func typeOf(r Record, key string) string {
	if _, chat, _ := r.Messages(key); chat {
		return "messages"
	}
	return kindOf(r.Value(key))
}

// joinedKinds is the type of a column with values of several kinds: integers among numbers are numbers, and null says only that some lack.
func joinedKinds(kinds []string) string {
	kinds = slices.Clone(kinds)
	if slices.Contains(kinds, "number") {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "integer" })
	}
	if len(kinds) > 1 {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " or ")
}

// Lengths are those of a column's texts, in tokens.
type Lengths struct {
	Median int `json:"median"`
	P95    int `json:"p95"`
	Most   int `json:"most"`
}

// summaries are the lengths of every column.
func (v *visitor) summaries() map[string]Lengths {
	if len(v.lengths) == 0 {
		return nil
	}
	out := map[string]Lengths{}
	for column, lengths := range v.lengths {
		slices.Sort(lengths)
		at := func(share float64) int { return lengths[min(int(share*float64(len(lengths))), len(lengths)-1)] }
		out[column] = Lengths{at(0.5), at(0.95), lengths[len(lengths)-1]}
	}
	return out
}

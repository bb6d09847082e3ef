package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// byAgent are the fields of a line that hold a number of each agent, in their order. Where agents have names, they are objects by name.
var byAgent = []string{"reward", "own_reward", "return", "shaped_return"}

// plain is a line without names.
type plain Metrics

// MarshalJSON implements [json.Marshaler].
func (m Metrics) MarshalJSON() ([]byte, error) {
	line, err := json.Marshal(plain(m))
	if err != nil || len(m.Names) == 0 {
		return line, err
	}
	return eachField(line, func(value json.RawMessage) (json.RawMessage, error) {
		var numbers []json.RawMessage
		if err := json.Unmarshal(value, &numbers); err != nil || len(numbers) > len(m.Names) {
			return value, err
		}
		out := []byte{'{'}
		for i, number := range numbers {
			if i > 0 {
				out = append(out, ',')
			}
			name, err := json.Marshal(m.Names[i])
			if err != nil {
				return nil, err
			}
			out = append(append(append(out, name...), ':'), number...)
		}
		return append(out, '}'), nil
	})
}

// UnmarshalJSON implements [json.Unmarshaler]: with names or without.
func (m *Metrics) UnmarshalJSON(line []byte) error {
	var names []string
	line, err := eachField(line, func(value json.RawMessage) (json.RawMessage, error) {
		if len(value) == 0 || value[0] != '{' {
			return value, nil
		}
		var numbers []json.RawMessage
		names = nil
		err := members(value, func(name string, number json.RawMessage) error {
			names, numbers = append(names, name), append(numbers, number)
			return nil
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(numbers)
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, (*plain)(m)); err != nil {
		return err
	}
	m.Names = names
	return nil
}

// eachField changes the fields of a line that are by agent, and keeps the order of all.
func eachField(line []byte, change func(json.RawMessage) (json.RawMessage, error)) ([]byte, error) {
	out := []byte{'{'}
	err := members(line, func(name string, value json.RawMessage) error {
		var err error
		if slices.Contains(byAgent, name) {
			if value, err = change(value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		key, err := json.Marshal(name)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
		return err
	})
	return append(out, '}'), err
}

// members calls do for the members of an object, in their order.
func members(object []byte, do func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return fmt.Errorf("expected an object, not %.20q: %w", object, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := do(fmt.Sprint(name), value); err != nil {
			return err
		}
	}
	return nil
}

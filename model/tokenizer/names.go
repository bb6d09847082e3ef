package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// An entry is a token that is stated by its text, or by an object.
type entry struct{ Token }

// UnmarshalJSON reads both forms. A text stands for a special token. Special tokens are looked for as they are where an object does not say.
func (e *entry) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &e.Content) == nil {
		e.Special = true
		return nil
	}
	var says struct{ Normalized *bool }
	if err := json.Unmarshal(data, &says); err != nil {
		return err
	}
	err := json.Unmarshal(data, &e.Token)
	if says.Normalized == nil {
		e.Normalized = !e.Special
	}
	return err
}

// members are the entries of an object in their order, which can show in ids.
type members struct {
	keys   []string
	values map[string]json.RawMessage
}

// UnmarshalJSON reads an object.
func (m *members) UnmarshalJSON(data []byte) error {
	m.keys, m.values = nil, nil
	if err := json.Unmarshal(data, &m.values); err != nil || m.values == nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
		if name := key.(string); !slices.Contains(m.keys, name) {
			m.keys = append(m.keys, name)
		}
	}
	return nil
}

// get returns an entry; one that is null is not there.
func (m *members) get(key string) (json.RawMessage, bool) {
	raw, ok := m.values[key]
	return raw, ok && string(raw) != "null"
}

// isToken reports whether an entry that is called like a token is one: a text or an object, not a number or a flag such as add_bos_token.
func isToken(key string, raw json.RawMessage) bool {
	return strings.HasSuffix(key, "_token") && (raw[0] == '"' || raw[0] == '{')
}

// names gathers the tokens that files name.
type names struct {
	standard map[string]entry
	early    ordered // the model's own names that the config gives as texts, and in an object of extra tokens
	late     ordered // its other own names
	extra    []entry // nil: not stated
	old      []entry // additional_special_tokens, which count where extra tokens are not stated
	stated   bool    // extra tokens are, as a list
}

// newNames begins with the tokens of a tokenizer class.
func newNames(class string) *names {
	n := &names{standard: map[string]entry{}}
	for _, named := range classTokens[class] {
		key, e := named[0], entry{Token{Content: named[1], Special: true, ByClass: true}}
		if slices.Contains(usual, key) {
			n.standard[key] = e
		} else {
			n.early.set(key, e)
		}
	}
	return n
}

// ordered are tokens by name, in the order in which the names came.
type ordered struct {
	keys   []string
	tokens map[string]entry
}

func (o *ordered) set(key string, e entry) {
	if o.tokens == nil {
		o.tokens = map[string]entry{}
	}
	if !slices.Contains(o.keys, key) {
		o.keys = append(o.keys, key)
	}
	o.tokens[key] = e
}

// config takes the entries of tokenizer_config.json.
func (n *names) config(m members) error {
	for _, key := range m.keys {
		n.clear(m, key)
		if raw, ok := m.get(key); ok && isToken(key, raw) {
			if err := n.name(key, raw, raw[0] == '"'); err != nil {
				return err
			}
		}
	}
	if err := n.unnamed(m); err != nil {
		return err
	}
	if len(n.extra) == 0 && n.old != nil {
		n.extra, n.old, n.stated = n.old, nil, true
	}
	return nil
}

// specialMap takes the entries of special_tokens_map.json.
func (n *names) specialMap(m members) error {
	for _, key := range m.keys {
		n.clear(m, key)
		if raw, ok := m.get(key); ok && isToken(key, raw) {
			if err := n.name(key, raw, false); err != nil {
				return err
			}
		}
	}
	return n.unnamed(m)
}

// clear takes a usual name away that a file gives as null.
func (n *names) clear(m members, key string) {
	if slices.Contains(usual, key) && string(m.values[key]) == "null" {
		delete(n.standard, key)
	}
}

// name takes one token.
func (n *names) name(key string, raw json.RawMessage, early bool) error {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	switch {
	case slices.Contains(usual, key):
		n.standard[key] = e
	case early:
		n.early.set(key, e)
	default:
		n.late.set(key, e)
	}
	return nil
}

// unnamed takes the lists of tokens without names, or the object of tokens with names.
func (n *names) unnamed(m members) error {
	const key, older = "extra_special_tokens", "additional_special_tokens"
	if raw, ok := m.get(older); ok {
		if err := json.Unmarshal(raw, &n.old); err != nil {
			return fmt.Errorf("%s: %w", older, err)
		}
	}
	raw, ok := m.get(key)
	if !ok {
		return nil
	}
	if raw[0] == '{' {
		var named members
		if err := json.Unmarshal(raw, &named); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		for _, name := range named.keys {
			if err := n.name(name, named.values[name], true); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	}
	var list []entry
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	n.extra, n.stated = append(n.extra, list...), true
	return nil
}

// list is all that has a name.
func (n *names) list() []Named {
	var out []Named
	add := func(name string, e entry) {
		if e.Content != "" {
			out = append(out, Named{name, e.Token})
		}
	}
	for _, name := range usual {
		add(name, n.standard[name])
	}
	own := n.late
	for _, name := range n.early.keys {
		own.set(name, n.early.tokens[name])
	}
	for _, name := range own.keys {
		add(name, own.tokens[name])
	}
	return out
}

// extras are the tokens without names.
func (n *names) extras() []entry {
	if !n.stated {
		return n.old
	}
	return n.extra
}

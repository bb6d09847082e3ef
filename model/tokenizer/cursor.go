package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A cursor reads the two large parts of a tokenizer.json, vocabulary and merges, much faster than encoding/json reads them
// into maps. Its data are valid JSON already: only the shape is checked.
type cursor struct {
	data []byte
	at   int
}

var errShape = errors.New("not of the form that is wanted")

// skip passes white space.
func (c *cursor) skip() {
	for c.at < len(c.data) && strings.IndexByte(" \t\r\n", c.data[c.at]) >= 0 {
		c.at++
	}
}

// take passes b and reports whether it was there.
func (c *cursor) take(b byte) bool {
	c.skip()
	if c.at < len(c.data) && c.data[c.at] == b {
		c.at++
		return true
	}
	return false
}

// peek returns the next byte.
func (c *cursor) peek() byte {
	c.skip()
	if c.at == len(c.data) {
		return 0
	}
	return c.data[c.at]
}

// list reads elements between the brackets open and close.
func (c *cursor) list(open, close byte, element func() error) error {
	if !c.take(open) {
		return errShape
	}
	if c.take(close) {
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if c.take(close) {
			return nil
		}
		if !c.take(',') {
			return errShape
		}
	}
}

// string reads a string.
func (c *cursor) string() (string, error) {
	if !c.take('"') {
		return "", errShape
	}
	start, plain := c.at, true
	for c.at < len(c.data) && c.data[c.at] != '"' {
		if c.data[c.at] == '\\' {
			plain = false
			c.at++
		}
		c.at++
	}
	if c.at >= len(c.data) {
		return "", errShape
	}
	raw := c.data[start:c.at]
	c.at++
	if plain && utf8.Valid(raw) {
		return string(raw), nil
	}
	var s string
	err := json.Unmarshal(c.data[start-1:c.at], &s)
	return s, err
}

// integer reads a whole number.
func (c *cursor) integer() (int, error) {
	c.skip()
	start := c.at
	for c.at < len(c.data) && strings.IndexByte("-+.eE0123456789", c.data[c.at]) >= 0 {
		c.at++
	}
	return strconv.Atoi(string(c.data[start:c.at]))
}

// parseIDs reads {"token": id, ...}; of equal tokens the last counts.
func parseIDs(raw json.RawMessage) (map[string]int, error) {
	c := cursor{data: raw}
	ids := map[string]int{}
	err := c.list('{', '}', func() error {
		token, err := c.string()
		if err != nil {
			return err
		}
		if !c.take(':') {
			return errShape
		}
		ids[token], err = c.integer()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("vocabulary, at byte %d of %d: %w: want an object of token to id", c.at, len(raw), err)
	}
	return ids, nil
}

// A mergePair is one merge of BPE.
type mergePair struct{ left, right string }

// parseMerges reads ["a b", ...] or [["a", "b"], ...].
func parseMerges(raw json.RawMessage) ([]mergePair, error) {
	c := cursor{data: raw}
	var merges []mergePair
	err := c.list('[', ']', func() error {
		pair, skip, err := c.merge()
		if err == nil && !skip {
			merges = append(merges, pair)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("BPE merge %d: %w: want \"a b\" or [\"a\", \"b\"]", len(merges), err)
	}
	return merges, nil
}

// merge reads one merge; skip is true for the version line of an old merges.txt.
func (c *cursor) merge() (pair mergePair, skip bool, err error) {
	if c.peek() == '"' {
		line, err := c.string()
		if err != nil || strings.HasPrefix(line, "#version") {
			return pair, true, err
		}
		pair, err = splitMerge(line)
		return pair, false, err
	}
	var both [2]string
	n := 0
	err = c.list('[', ']', func() (err error) {
		if n == 2 {
			return errShape
		}
		both[n], err = c.string()
		n++
		return err
	})
	if err == nil && n != 2 {
		err = errShape
	}
	return mergePair{both[0], both[1]}, false, err
}

// splitMerge reads "a b".
func splitMerge(line string) (mergePair, error) {
	left, right, ok := strings.Cut(line, " ")
	if !ok || strings.Contains(right, " ") {
		return mergePair{}, fmt.Errorf("%q: %w", line, errShape)
	}
	return mergePair{left, right}, nil
}

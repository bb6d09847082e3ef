package jinja

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxJSONDepth bounds nesting, so that no walk over a value overflows the stack.
const maxJSONDepth = 500

// DecodeJSON reads one JSON value into the types of [Object].
func DecodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := decodeValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

func decodeValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("JSON is nested more than %d deep", maxJSONDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case json.Number:
		return parseNumber(string(tok))
	case json.Delim:
		if tok == '{' {
			return decodeObject(dec, depth)
		}
		return decodeList(dec, depth)
	}
	return tok, nil
}

func decodeObject(dec *json.Decoder, depth int) (any, error) {
	o := &Object{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		value, err := decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		o.put(key, value)
	}
	_, err := dec.Token()
	return o, err
}

func decodeList(dec *json.Decoder, depth int) (any, error) {
	list := []any{}
	for dec.More() {
		value, err := decodeValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := dec.Token()
	return list, err
}

// parseNumber keeps whole numbers whole: 1 and 1.0 print differently.
func parseNumber(s string) (any, error) {
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, err
		}
		return f, nil
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, nil
	}
	i, ok := new(big.Int).SetString(s, 10)
	if !ok || len(s) > 1000 {
		return nil, fmt.Errorf("number of %d characters cannot be read", len(s))
	}
	return i, nil
}

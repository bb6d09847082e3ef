package peft

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
)

// Layers are numbers of layers, as JSON has them: a list or one number.
type Layers []int

// UnmarshalJSON reads a list, a number or null.
func (l *Layers) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) || string(data) == "null" {
		return json.Unmarshal(data, (*[]int)(l))
	}
	*l = make(Layers, 1)
	return json.Unmarshal(data, &(*l)[0])
}

// numbered finds the number of a layer where layers_pattern does not say what stands before it.
var numbered = regexp.MustCompile(`^.*?\.[^.]*\.(?P<idx>\d+)\.`)

// LayerNames are expressions for what stands before a layer's number in a module's name. JSON has a list or one text.
type LayerNames []layerName

type layerName struct {
	text string
	re   *regexp.Regexp
}

// UnmarshalJSON reads a list, a text or null.
func (l *LayerNames) UnmarshalJSON(data []byte) error {
	var texts []string
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte(`"`)) {
		texts = make([]string, 1)
		if err := json.Unmarshal(data, &texts[0]); err != nil {
			return err
		}
	} else if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	*l = nil
	for _, text := range texts {
		re, err := compile(`^(?:(?:^|.*?\.)`, text, `\.(?P<idx>\d+)\.)`)
		if err != nil {
			return err
		}
		*l = append(*l, layerName{text, re})
	}
	return nil
}

// MarshalJSON writes a list, or null.
func (l LayerNames) MarshalJSON() ([]byte, error) {
	var texts []string
	for _, n := range l {
		texts = append(texts, n.text)
	}
	return json.Marshal(texts)
}

// inLayer reports whether the module is in one of the layers that are adapted.
func (c *Config) inLayer(module string) bool {
	if len(c.Layers) == 0 {
		return true
	}
	if len(c.LayersPattern) == 0 {
		return c.hasLayer(numbered, module)
	}
	for _, n := range c.LayersPattern {
		if n.re.MatchString(module) {
			return c.hasLayer(n.re, module)
		}
	}
	return false
}

func (c *Config) hasLayer(re *regexp.Regexp, module string) bool {
	match := re.FindStringSubmatch(module)
	if match == nil {
		return false
	}
	n, err := strconv.Atoi(match[re.SubexpIndex("idx")])
	return err == nil && slices.Contains(c.Layers, n)
}

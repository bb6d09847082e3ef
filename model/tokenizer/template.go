package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A template says what surrounds the ids of a text when special tokens are asked for.
type template []templatePart

// templatePart is one token, or the ids of the text.
type templatePart struct {
	text bool
	id   int
}

// plain is the template that adds nothing.
var plain = template{{text: true}}

// longestTemplate bounds what nested post-processors may build.
const longestTemplate = 1 << 10

// around returns the template that puts t around what inner makes.
func (t template) around(inner template) (template, error) {
	var out template
	for _, part := range t {
		if part.text {
			out = append(out, inner...)
		} else {
			out = append(out, part)
		}
		if len(out) > longestTemplate {
			return nil, fmt.Errorf("post-processor adds more than %d tokens", longestTemplate)
		}
	}
	return out, nil
}

// parsePostProcessor reads the "post_processor" of a tokenizer.json.
func parsePostProcessor(raw json.RawMessage, depth int) (template, error) {
	kind, err := kindOf(raw, depth)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "", "ByteLevel": // ByteLevel only moves offsets
		return plain, nil
	case "TemplateProcessing":
		return parseTemplate(raw)
	case "BertProcessing", "RobertaProcessing":
		return parseClsSep(raw)
	case "Sequence":
		return parseTemplates(raw, depth)
	}
	return nil, unknownKind("post-processor", kind)
}

func parseTemplates(raw json.RawMessage, depth int) (template, error) {
	var s struct{ Processors []json.RawMessage }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	all := plain
	for _, each := range s.Processors {
		t, err := parsePostProcessor(each, depth+1)
		if err != nil {
			return nil, err
		}
		if all, err = t.around(all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// templateConfig is a TemplateProcessing; only the template for a single text is read.
type templateConfig struct {
	Single []struct {
		SpecialToken *struct{ ID string }
		Sequence     *struct{ ID string }
	}
	SpecialTokens map[string]struct{ IDs []int } `json:"special_tokens"`
}

func parseTemplate(raw json.RawMessage) (template, error) {
	var c templateConfig
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("TemplateProcessing: %w", err)
	}
	var out template
	for _, part := range c.Single {
		switch {
		case part.Sequence != nil && part.Sequence.ID == "A":
			out = append(out, templatePart{text: true})
		case part.SpecialToken != nil:
			token, ok := c.SpecialTokens[part.SpecialToken.ID]
			if !ok {
				return nil, fmt.Errorf("TemplateProcessing: special token %q is not in special_tokens", part.SpecialToken.ID)
			}
			for _, id := range token.IDs {
				out = append(out, templatePart{id: id})
			}
		default:
			return nil, errors.New("TemplateProcessing: a part of single is neither a SpecialToken nor the Sequence A")
		}
	}
	return out, out.check()
}

// check bounds a template that was read from a file.
func (t template) check() error {
	if len(t) > longestTemplate {
		return fmt.Errorf("post-processor adds more than %d tokens", longestTemplate)
	}
	for _, part := range t {
		if part.id < 0 {
			return fmt.Errorf("post-processor adds the token %d: ids are not negative", part.id)
		}
	}
	return nil
}

// parseClsSep reads a BertProcessing or RobertaProcessing: one token before the text, one after it.
func parseClsSep(raw json.RawMessage) (template, error) {
	var c struct{ Cls, Sep clsToken }
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	return template{{id: int(c.Cls)}, {text: true}, {id: int(c.Sep)}}, nil
}

// clsToken is the id of a token written as ["[CLS]", 101].
type clsToken int

// UnmarshalJSON reads [token, id].
func (t *clsToken) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("post-processor: %.80s is not a pair of token and id", data)
	}
	var id uint32
	if err := json.Unmarshal(pair[1], &id); err != nil {
		return fmt.Errorf("post-processor: id of %.80s: %w", data, err)
	}
	*t = clsToken(id)
	return nil
}

package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/model/chat/jinja"
	"parley/model/tokenizer"
)

// ErrContent is wrapped by the error of [Template.RenderContent] for content that it cannot follow.
var ErrContent = errors.New("the chat template does something with the content that hides where it goes")

// Control is the texts of a model's control tokens, such as <|im_end|>, none of them empty.
type Control struct {
	texts []string
	edges map[rune]bool // first and last characters of the texts
}

// NewControl returns the control tokens with these texts.
func NewControl(texts []string) *Control {
	c := &Control{edges: map[rune]bool{}}
	for _, text := range texts {
		if text == "" {
			continue
		}
		first, _ := utf8.DecodeRuneInString(text)
		last, _ := utf8.DecodeLastRuneInString(text)
		c.texts = append(c.texts, text)
		c.edges[first], c.edges[last] = true, true
	}
	return c
}

// Places lists the bytes of a content at which characters begin that a control token could begin or end with. Without these there is no
// control token in it.
func (c *Control) Places(content string) []int {
	var at []int
	for i, r := range content {
		if c.edges[r] {
			at = append(at, i)
		}
	}
	return at
}

// RenderContent is Render, and says where in the text content has characters that a control token could begin or end with, by their first
// bytes: what looks like a control token and has one of these was not printed by the template, but written by somebody.
//
// Templates are programs: they trim, cut and compare content. So the conversation is rendered a second time, with tags for these
// characters, and the tags are looked up in what comes out, which must else be the same. Where it is not, because the template looks for
// one of them itself (</think>, say), only those are tagged that belong to the text of a control token in the content, in any case, or to
// a part of one at its ends. If that text is not the same either, or other control tokens come out than with all tags, the error
// wraps [ErrContent]. What is left are control tokens that a template makes of characters of content that are no part of one: by replacing
// characters, after it has also looked for one of the tagged ones.
func (t *Template) RenderContent(in Input, c *Control) (text string, content []int, err error) {
	if text, err = t.Render(in); err != nil || !in.anyText(func(s string) bool { return len(c.Places(s)) > 0 }) {
		return text, nil, err
	}
	all, at, sure := t.follow(in, text, func(s string) []int { return c.Places(s) })
	if sure {
		return text, at, nil
	}
	if !in.anyText(func(s string) bool { return len(c.written(s)) > 0 }) {
		return text, nil, nil
	}
	some, at, sure := t.follow(in, text, c.written)
	if !sure || !slices.Equal(c.in(some), c.in(all)) {
		return "", nil, fmt.Errorf("%w, and the content has the text of a control token", ErrContent)
	}
	return text, at, nil
}

// follow renders a conversation with tags for some characters of its content. It returns the text with the tags, and, if it is text without
// them, where they are.
func (t *Template) follow(in Input, text string, which func(content string) []int) (tagged string, at []int, sure bool) {
	var texts []string
	in.anyText(func(s string) bool { texts = append(texts, s); return false })
	tags := tokenizer.TagsFor(append(texts, text)...)
	tag := func(s string) string {
		places := which(s)
		return tags.Put(s, func(at int, _ rune) bool { _, ok := slices.BinarySearch(places, at); return ok })
	}
	in.Messages = eachText(in.Messages, tag)
	if in.Tools != nil {
		in.Tools = textsOf(in.Tools, tag).([]any)
	}
	tagged, err := t.Render(in)
	if err != nil {
		return "", nil, false
	}
	plain, at := tags.Find(tagged)
	return tagged, at, plain == text
}

// written lists the first and last characters of control tokens that a content has the text of, in any case, and of those that it may have a
// part of at its ends: what stands beside it could be the rest.
func (c *Control) written(content string) []int {
	lower := strings.Map(lowerOne, content)
	trimmed := strings.TrimRightFunc(lower, unicode.IsSpace)
	left := len(lower) - len(strings.TrimLeftFunc(lower, unicode.IsSpace))
	var at []int
	for _, text := range c.texts {
		text = strings.Map(lowerOne, text)
		_, end := utf8.DecodeLastRuneInString(text)
		for i := range lower {
			if strings.HasPrefix(lower[i:], text) {
				at = append(at, i, i+len(text)-end)
			}
		}
		for n := range text {
			if n > 0 && strings.HasSuffix(trimmed, text[:n]) {
				at = append(at, len(trimmed)-n)
			}
			if n > 0 && strings.HasPrefix(lower[left:], text[n:]) {
				at = append(at, left+len(text)-n-end)
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// lowerOne is a character's lower case, if that takes as many bytes.
func lowerOne(r rune) rune {
	if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
		return l
	}
	return r
}

// in lists the control tokens of a text, leftmost first and of those at one place the longest.
func (c *Control) in(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		longest := ""
		for _, control := range c.texts {
			if len(control) > len(longest) && strings.HasPrefix(text[i:], control) {
				longest = control
			}
		}
		if longest != "" {
			out = append(out, longest)
		}
		i += max(1, len(longest))
	}
	return out
}

// anyText reports whether f says yes to a text of the messages or of the tools, keys of objects included.
func (in *Input) anyText(f func(string) bool) bool {
	return slices.ContainsFunc(in.Messages, func(m Message) bool { return hasText(m, f) }) || hasText(in.Tools, f)
}

func hasText(value any, f func(string) bool) bool {
	switch v := value.(type) {
	case string:
		return f(v)
	case []any:
		return slices.ContainsFunc(v, func(each any) bool { return hasText(each, f) })
	case *jinja.Object:
		return slices.ContainsFunc(v.Keys(), func(key string) bool {
			each, _ := v.Get(key)
			return f(key) || hasText(each, f)
		})
	}
	return false
}

// eachText returns messages with all their texts changed, those of keys included.
func eachText(messages []Message, f func(string) string) []Message {
	out := make([]Message, len(messages))
	for i, m := range messages {
		out[i], _ = textsOf(m, f).(Message)
	}
	return out
}

func textsOf(value any, f func(string) string) any {
	switch v := value.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = textsOf(v[i], f)
		}
		return out
	case *jinja.Object:
		out := jinja.NewObject()
		for _, key := range v.Keys() {
			each, _ := v.Get(key)
			out.Set(f(key), textsOf(each, f))
		}
		return out
	}
	return value
}

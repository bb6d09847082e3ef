package form

import (
	"slices"
	"strconv"
	"strings"
)

// Keywords of schemas, by what they are for.
var (
	annotations = []string{
		"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$schema", "$id", "$comment", "discriminator",
		"$defs", "definitions",
	}
	choices    = []string{"anyOf", "oneOf", "allOf"}
	assertions = map[string][]string{
		"object":  {"properties", "required", "additionalProperties"},
		"array":   {"items", "prefixItems", "minItems", "maxItems"},
		"string":  {"minLength", "maxLength", "pattern", "format"},
		"number":  {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
		"integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
		"boolean": nil,
		"null":    nil,
	}
	// anyType is the types that together are all JSON.
	anyType = []string{"null", "boolean", "number", "string", "array", "object"}
)

func annotation(name string) bool {
	return slices.Contains(annotations, name) || strings.HasPrefix(name, "x-")
}

// known says whether a keyword means something here.
func known(name string) bool {
	for _, list := range assertions {
		if slices.Contains(list, name) {
			return true
		}
	}
	return annotation(name) || slices.Contains(choices, name) || slices.Contains([]string{"type", "$ref", "enum", "const"}, name)
}

// schemaRule returns the rule of the schema v, which stands at a place in the whole.
func (c *compiler) schemaRule(v value, at string) int32 {
	if v.kind == boolean && v.truth {
		return c.anything() // also where only the place of one is asked for, as others does
	}
	if r, ok := c.named["#"+at]; ok {
		return r
	}
	r := c.newRule()
	c.named["#"+at] = r
	if v.kind != boolean {
		c.keywords(v, at, c.start(r), c.end(r))
	}
	return r
}

// keywords adds the texts of a schema between two nodes.
func (c *compiler) keywords(v value, at string, from, to int32) {
	if v.kind != object {
		refuse(at, "a schema is an object, true or false")
	}
	for _, m := range v.members {
		if !known(m.name) {
			refuse(at, "%s cannot be forced", m.name)
		}
	}
	if ref, ok := v.member("$ref"); ok {
		alone(v, at, "$ref")
		c.call(from, c.reference(ref, at), to)
		return
	}
	for _, name := range choices {
		if list, ok := v.member(name); ok {
			alone(v, at, name)
			c.choice(list, name, at, from, to)
			return
		}
	}
	types := types(v, at)
	for _, name := range []string{"const", "enum"} {
		if list, ok := v.member(name); ok {
			alone(v, at, name, "type")
			c.call(from, c.literals(list, name, types, at), to)
			return
		}
	}
	if bare(v) {
		c.call(from, c.anything(), to)
		return
	}
	for _, t := range types {
		c.call(from, c.typed(t, v, at), to)
	}
}

// alone refuses what stands beside a keyword, but for annotations and those named.
func alone(v value, at, name string, but ...string) {
	for _, m := range v.members {
		if m.name != name && !annotation(m.name) && !slices.Contains(but, m.name) {
			refuse(at, "%s beside %s cannot be forced", m.name, name)
		}
	}
}

// bare says whether a schema asserts nothing.
func bare(v value) bool {
	return !slices.ContainsFunc(v.members, func(m member) bool { return !annotation(m.name) })
}

// choice adds the texts of each of several schemas.
func (c *compiler) choice(list value, name, at string, from, to int32) {
	if list.kind != array {
		refuse(at, "%s must be a list of schemas", name)
	}
	if len(list.items) == 0 {
		refuse(at, "nothing fits an empty %s", name)
	}
	if name == "allOf" && len(list.items) > 1 {
		refuse(at, "allOf with more than one schema cannot be forced")
	}
	for i, item := range list.items {
		c.call(from, c.schemaRule(item, step(at, name, strconv.Itoa(i))), to)
	}
}

// reference returns the rule that a reference leads to.
func (c *compiler) reference(ref value, at string) int32 {
	path, local := strings.CutPrefix(ref.text, "#")
	path = unescape(path)
	if ref.kind != text || !local || path != "" && !strings.HasPrefix(path, "/$defs/") && !strings.HasPrefix(path, "/definitions/") {
		refuse(at, "the reference %q must be #, or begin with #/$defs/ or #/definitions/", ref.text)
	}
	v := c.schema
	for _, name := range strings.Split(path, "/")[1:] {
		next, there := v.at(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		if !there {
			refuse(at, "the reference %q leads nowhere", ref.text)
		}
		v = next
	}
	if c.depth++; c.depth > maxDepth {
		refuse(at, "more than %d references lead on from each other", maxDepth)
	}
	defer func() { c.depth-- }()
	return c.schemaRule(v, path)
}

// unescape reads %NN in a reference.
func unescape(s string) string {
	before, rest, found := strings.Cut(s, "%")
	if !found || len(rest) < 2 {
		return s
	}
	b, err := strconv.ParseUint(rest[:2], 16, 8)
	if err != nil {
		return before + "%" + unescape(rest)
	}
	return before + string([]byte{byte(b)}) + unescape(rest[2:])
}

// types lists what type says; where it says nothing, what follows from the other keywords.
func types(v value, at string) []string {
	t, ok := v.member("type")
	if !ok {
		return impliedTypes(v)
	}
	list := t.items
	if t.kind == text {
		list = []value{t}
	}
	var out []string
	for _, item := range list {
		if _, ok := assertions[item.text]; !ok || item.kind != text {
			refuse(at, "type must be of string, number, integer, boolean, null, array, object")
		}
		if !slices.Contains(out, item.text) {
			out = append(out, item.text)
		}
	}
	if len(out) == 0 {
		refuse(at, "nothing fits: type names no type")
	}
	if slices.Contains(out, "number") { // which integers are too
		out = slices.DeleteFunc(out, func(t string) bool { return t == "integer" })
	}
	return out
}

func impliedTypes(v value) []string {
	var out []string
	if v.hasAny("properties", "required", "additionalProperties") {
		out = append(out, "object")
	}
	if v.hasAny("items", "prefixItems") {
		out = append(out, "array")
	}
	if len(out) == 0 {
		return anyType
	}
	return out
}

// typed returns the rule of the values of one type.
func (c *compiler) typed(t string, v value, at string) int32 {
	name := t
	if v.hasAny(assertions[t]...) {
		name = t + "#" + at // which no pointer begins with
	}
	if r, ok := c.named[name]; ok {
		return r
	}
	r := c.newRule()
	c.named[name] = r
	from, to := c.start(r), c.end(r)
	switch t {
	case "null":
		c.empty(c.spelling(from, literal(nil, "null")), to)
	case "boolean":
		c.empty(c.spelling(from, literal(nil, "true")), to)
		c.empty(c.spelling(from, literal(nil, "false")), to)
	case "number", "integer":
		c.numeral(numberBounds(v, at), t == "integer", at, from, to)
	case "string":
		c.quoted(v, at, from, to)
	case "array":
		c.array(v, at, from, to)
	case "object":
		c.object(v, at, from, to)
	}
	return r
}

// anything returns the rule of all JSON.
func (c *compiler) anything() int32 {
	if r, ok := c.named["any"]; ok {
		return r
	}
	r := c.newRule()
	c.named["any"] = r
	for _, t := range anyType {
		c.call(c.start(r), c.typed(t, value{}, ""), c.end(r))
	}
	return r
}

// count reads a keyword whose value is a whole number; absent is -1.
func count(v value, name, at string) int {
	m, ok := v.member(name)
	if !ok {
		return -1
	}
	d, err := parseDecimal(m.text)
	n, wrong := strconv.Atoi(d.whole)
	if m.kind != number || err != nil || d.fraction != "" || d.negative || wrong != nil {
		refuse(at, "%s must be a whole number from 0", name)
	}
	return n
}

// between reads two counts and refuses what nothing fits.
func between(v value, least, most, at string) (int, int) {
	low, high := max(count(v, least, at), 0), count(v, most, at)
	if high >= 0 && low > high {
		refuse(at, "nothing fits: %s is %d, %s is %d", least, low, most, high)
	}
	return low, high
}

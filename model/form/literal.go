package form

import "slices"

// literals returns the rule of the values that const or enum lists and that have one of the types.
func (c *compiler) literals(list value, name string, types []string, at string) int32 {
	values := []value{list}
	if name == "enum" {
		if list.kind != array {
			refuse(at, "enum must be a list of values")
		}
		values = list.items
	}
	r := c.newRule()
	fits := false
	for _, v := range values {
		if v.has(types) {
			fits = true
			c.empty(c.spelling(c.start(r), v.written(nil, at)), c.end(r))
		}
	}
	if !fits {
		refuse(at, "nothing fits: %s has no value of the type", name)
	}
	return r
}

// A written symbol is one that a literal has behind a node.
type written struct {
	at     int32
	symbol symbol
}

// spelling adds a literal and returns the node behind it. Literals that begin alike share nodes.
func (c *compiler) spelling(at int32, symbols []symbol) int32 {
	for _, s := range symbols {
		to, there := c.spelled[written{at, s}]
		if !there {
			to = c.symbol(at, s)
			c.spelled[written{at, s}] = to
		}
		at = to
	}
	return at
}

// has says whether a value has one of the types.
func (v value) has(types []string) bool {
	if v.kind == number {
		d, err := parseDecimal(v.text)
		return slices.Contains(types, "number") || slices.Contains(types, "integer") && err == nil && d.fraction == ""
	}
	return slices.Contains(types, map[kind]string{null: "null", boolean: "boolean", text: "string", array: "array", object: "object"}[v.kind])
}

// written appends a value as it is written where it is given.
func (v value) written(to []symbol, at string) []symbol {
	switch v.kind {
	case boolean:
		if v.truth {
			return literal(to, "true")
		}
		return literal(to, "false")
	case number:
		d, err := parseDecimal(v.text)
		if err != nil {
			refuse(at, "%v", err)
		}
		return literal(to, d.String())
	case text:
		return quotedLiteral(to, v.text)
	case array:
		to = append(to, "[")
		for i, item := range v.items {
			if i > 0 {
				to = append(to, ",", blank)
			}
			to = item.written(to, at)
		}
		return append(to, "]")
	case object:
		to = append(to, "{")
		for i, m := range v.members {
			if i > 0 {
				to = append(to, ",", blank)
			}
			to = m.value.written(append(quotedLiteral(to, m.name), ":", blank), at)
		}
		return append(to, "}")
	}
	return literal(to, "null")
}

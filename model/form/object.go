package form

import (
	"slices"
	"strconv"
)

// object adds objects: the declared properties in their order, then those that are required and not declared, then any others.
func (c *compiler) object(v value, at string, from, to int32) {
	listed, others := c.properties(v, at)
	// Two nodes stand before each property: one where none is written yet, one where a comma comes first. The first is -1 once there must be one.
	first, later := c.newNode(), int32(-1)
	c.edge(from, '{', '{', first)
	for i, p := range listed {
		pair := c.pair(p)
		behind := c.newNode()
		if first >= 0 {
			c.call(first, pair, behind)
		}
		if later >= 0 {
			c.call(later, pair, behind)
		}
		if later >= 0 && !p.required {
			next := c.newNode()
			c.empty(later, next)
			later = next
		} else {
			later = c.newNode()
		}
		if p.required {
			first = -1
		}
		c.behindProperty(behind, later, listed[i+1:], others != nil, to)
	}
	if first >= 0 {
		c.edge(first, '}', '}', to)
	}
	if others == nil {
		return
	}
	if later < 0 {
		later = c.newNode()
	}
	pair, behind := c.otherPair(listed, *others), c.newNode()
	if first >= 0 {
		c.call(first, pair, behind)
	}
	c.call(later, pair, behind)
	c.behindProperty(behind, later, nil, true, to)
}

// behindProperty adds what follows a property: a comma where there may be another, which later stands before, and the end where none must come.
func (c *compiler) behindProperty(behind, later int32, rest []property, others bool, to int32) {
	if len(rest) > 0 || others {
		c.empty(c.separator(behind, ','), later)
	}
	if !slices.ContainsFunc(rest, func(p property) bool { return p.required }) {
		c.edge(behind, '}', '}', to)
	}
}

// A property is a key with the rule of its values.
type property struct {
	name     string
	required bool
	rule     int32
}

// properties lists those with names, in order. others is the rule of the values of further ones; nil: there are none.
func (c *compiler) properties(v value, at string) (listed []property, others *int32) {
	declared, some := v.member("properties")
	if some && declared.kind != object {
		refuse(at, "properties must be an object")
	}
	required := requiredNames(v, at)
	others = c.others(v, at, some)
	for _, m := range declared.members {
		rule := c.schemaRule(m.value, step(at, "properties", m.name))
		listed = append(listed, property{m.name, slices.Contains(required, m.name), rule})
	}
	for _, name := range required {
		if slices.ContainsFunc(listed, func(p property) bool { return p.name == name }) {
			continue
		}
		if others == nil {
			refuse(at, "nothing fits: %q is required, and not among properties", name)
		}
		listed = append(listed, property{name, true, *others})
	}
	return listed, others
}

func requiredNames(v value, at string) []string {
	m, ok := v.member("required")
	if ok && m.kind != array {
		refuse(at, "required must be a list of names")
	}
	var out []string
	for _, item := range m.items {
		if item.kind != text {
			refuse(at, "required must be a list of names")
		}
		out = append(out, item.text)
	}
	return out
}

// others is the rule of the values of properties without a name.
func (c *compiler) others(v value, at string, declared bool) *int32 {
	m, ok := v.member("additionalProperties")
	if !ok && declared || ok && m.kind == boolean && !m.truth {
		return nil
	}
	if !ok {
		m = value{kind: boolean, truth: true}
	}
	r := c.schemaRule(m, step(at, "additionalProperties"))
	return &r
}

// pair returns the rule of one property, key and value.
func (c *compiler) pair(p property) int32 {
	r := c.newRule()
	at := c.start(r)
	for _, s := range quotedLiteral(nil, p.name) {
		at = c.symbol(at, s)
	}
	c.call(c.separator(at, ':'), p.rule, c.end(r))
	return r
}

// otherPair returns the rule of a property whose name is none of those listed.
func (c *compiler) otherPair(listed []property, rule int32) int32 {
	r := c.newRule()
	closed := c.newNode()
	free := c.newNode()
	c.class(free, allCharacters, free, true)
	c.edge(free, '"', '"', closed)
	var names [][]rune
	for _, p := range listed {
		names = append(names, []rune(p.name))
	}
	open := c.newNode()
	c.edge(c.start(r), '"', '"', open)
	c.otherName(open, names, free, closed)
	c.call(c.separator(closed, ':'), rule, c.end(r))
	return r
}

// otherName adds what is none of names: behind each character that none of them goes on with, anything.
func (c *compiler) otherName(at int32, names [][]rune, free, closed int32) {
	rest := map[rune][][]rune{}
	ended := false
	for _, name := range names {
		if len(name) == 0 {
			ended = true
			continue
		}
		rest[name[0]] = append(rest[name[0]], name[1:])
	}
	if !ended {
		c.edge(at, '"', '"', closed)
	}
	var taken []rune
	for r := range rest {
		taken = append(taken, r)
	}
	slices.Sort(taken)
	for _, r := range taken {
		next := c.newNode()
		c.class(at, []rune{r, r}, next, true)
		c.otherName(next, rest[r], free, closed)
	}
	c.class(at, except(taken), free, true)
}

// array adds arrays.
func (c *compiler) array(v value, at string, from, to int32) {
	prefix, items := c.elements(v, at)
	least, most := between(v, "minItems", "maxItems", at)
	behind := c.newNode()
	c.edge(from, '[', '[', behind)
	for n := 0; ; n++ {
		if n >= least {
			c.edge(behind, ']', ']', to)
		}
		if n == most {
			return
		}
		before, next := behind, c.newNode()
		if n > 0 {
			before = c.separator(behind, ',')
		}
		rule := items
		if n < len(prefix) {
			rule = prefix[n]
		}
		if n > 0 && most < 0 && n >= len(prefix) && n >= least {
			c.call(before, rule, behind)
			return
		}
		c.call(before, rule, next)
		behind = next
	}
}

// elements returns the rules of the first elements of an array, and of the others.
func (c *compiler) elements(v value, at string) (prefix []int32, items int32) {
	list, ok := v.member("prefixItems")
	if ok && list.kind != array {
		refuse(at, "prefixItems must be a list of schemas")
	}
	for i, item := range list.items {
		prefix = append(prefix, c.schemaRule(item, step(at, "prefixItems", strconv.Itoa(i))))
	}
	m, ok := v.member("items")
	if !ok {
		return prefix, c.anything()
	}
	if m.kind == array {
		refuse(at, "items must be a schema; write the list as prefixItems")
	}
	return prefix, c.schemaRule(m, step(at, "items"))
}

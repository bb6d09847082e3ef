package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/task"
)

// A class holds a number. Two of its methods have no parameter, two have one.
type class []method

// A method is a problem about the class's number.
type method struct {
	name string
	problem
}

// bare methods take a step with the number, joined ones with another one too.
var (
	bare   = shape{"self", []whole{{code: "P", of: number(func(l []int) int { return l[0] })}}, "n S", []string{"self.n"}, "", pairs.draw}
	joined = shape{"self, x", pairs.wholes, "W n and x, each S", []string{"self.n", "x"}, "", pairs.draw}
)

// drawClass draws a class whose methods with a parameter belong to a split.
func drawClass(rng *rand.Rand, split task.Split) (c class) {
	for i, name := range []string{"first", "second", "third", "fourth"} {
		m := method{name, problem{bare, pick(rng, steps()), bare.wholes[0]}}
		if i > 1 {
			m.problem = pick(rng, joined.problemsOf(split))
		}
		c = append(c, m)
	}
	return c
}

// of are the methods of an agent.
func (c class) of(agent int) class { return c[2*agent : 2*agent+2] }

// head is the method's first line.
func (m method) head() string { return fmt.Sprintf("def %s(%s):\n", m.name, m.parameters) }

// wrote is the method with an expression.
func (m method) wrote(body string) string { return m.head() + "    return " + body }

// right is the method as it should be.
func (m method) right() string { return m.wrote(m.body(m.step.on)) }

// constructor is what is given of a class.
const constructor = "class Number:\n    def __init__(self, n):\n        self.n = n\n"

// record writes a class in ClassEval's form.
func (c class) record(id int, rng *rand.Rand) any {
	skeleton, solution, test := constructor, constructor, "import unittest\n\nclass NumberTest(unittest.TestCase):\n"
	var methods []any
	for _, m := range c {
		described := fmt.Sprintf("%s    '''Return %s.'''", m.head(), m.returns())
		methods = append(methods, map[string]any{"method_name": m.name, "method_description": described})
		skeleton += "\n" + indented(described)
		solution += "\n" + indented(m.right())
		test += fmt.Sprintf("    def test_%s(self):\n", m.name)
		for _, call := range m.calls(rng, 2) {
			n, x, _ := strings.Cut(call.given, ", ")
			if m.parameters == "self" {
				x = ""
			}
			test += fmt.Sprintf("        self.assertEqual(Number(%s).%s(%s), %s)\n", n, m.name, x, call.result)
		}
	}
	return map[string]any{
		"task_id": fmt.Sprintf("small-%d", id), "class_name": "Number", "class_constructor": constructor, "import_statement": []string{},
		"skeleton": skeleton, "solution_code": solution, "test": test, "methods_info": methods,
	}
}

// indented is code as a class has it.
func indented(code string) string { return "    " + strings.ReplaceAll(code, "\n", "\n    ") + "\n" }

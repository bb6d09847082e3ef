package bfcl

import (
	"fmt"
	"math/bits"
	"strings"

	"parley/task"
)

// lamps are rows of parley's own, for bases that know digits alone: switch on four of nine lamps. A question is their numbers.
func lamps() (all []task.Problem) {
	const declared = `{"name":"on","description":"Switches on a lamp.","parameters":{"type":"dict","properties":{"lamp":{"type":"integer","description":"The number of the lamp."}},"required":["lamp"]}}`
	for set := range 1 << 9 {
		if bits.OnesCount(uint(set)) != 4 {
			continue
		}
		question, truth := "", []string{}
		for lamp := 1; lamp <= 9; lamp++ {
			if set>>(lamp-1)&1 == 1 {
				question += fmt.Sprint(lamp)
				truth = append(truth, fmt.Sprintf(`{"on":{"lamp":[%d]}}`, lamp))
			}
		}
		p, err := readRow(0, fmt.Appendf(nil, `{"id":"lamps_%[1]s","question":"%[1]s","function":[%s],"ground_truth":[%s]}`, question, declared, strings.Join(truth, ",")))
		if err != nil {
			panic("internal error: " + err.Error())
		}
		all = append(all, p)
	}
	return all
}

// policies are ways to answer a question about two lamps; the first is honest.
func policies() []task.Policy {
	const item = `{"id":"gaming","question":"Switch on lamps 2 and 5.","function":[{"name":"on","parameters":{"type":"dict","properties":{"lamp":{"type":"integer"}},"required":["lamp"]}}],"ground_truth":[{"on":{"lamp":[2]}},{"on":{"lamp":[5]}}]}`
	var list []task.Policy
	for _, p := range []struct {
		name          string
		first, second string
	}{
		{"each its part", "on(lamp=2)", "on(lamp=5)"},
		{"nothing", "", "[]"},
		{"one does all", "on(lamp=2)\non(lamp=5)", "[]"},
		{"both do all", "on(lamp=2)\non(lamp=5)", "on(lamp=2)\non(lamp=5)"},
		{"the same call by both", "on(lamp=2)", "on(lamp=2)"},
		{"well formed and wrong", "on(lamp=8)", "on(lamp=9)"},
		{"well formed, and prose", "on(lamp=8)", "I would switch on a lamp."},
		{"every lamp", "on(1)\non(2)\non(3)\non(4)", "on(5)\non(6)\non(7)\non(8)\non(9)"},
		{"an argument too many", "on(lamp=2, hurry=True)", "on(lamp=5, hurry=True)"},
	} {
		list = append(list, task.Policy{Name: p.name, Item: []byte(item), Responses: []string{p.first, p.second}})
	}
	return list
}

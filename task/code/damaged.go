package code

import (
	"fmt"
	"strings"

	"parley/task"
)

// damage lists items whose tests are known to be wrong: a reward of 0 there says
// nothing about a model.
var damage = map[string]map[string]string{
	"coophumaneval": {
		"2":  "two tests take dd-mm-yyyy for valid, the prompt asks for mm-dd-yyyy",
		"12": "three tests call products of three primes none",
		"30": "all tests and the examples leave out 11",
		"44": "a test leaves out the mirror pair ('test', 'tset')",
		"45": "a test takes 209 = 11·19 for a prime",
		"50": "a test's angles sum to 1400, not 1440",
		"54": "two tests and the example leave out 676",
	},
	"mbpp-openmlrl": {
		"5": helperTested, "8": helperTested, "88": helperTested,
		"56": calledTwice, "79": calledTwice, "104": calledTwice,
		"29": noSuchFunction, "32": noSuchFunction, "45": noSuchFunction, "65": noSuchFunction, "76": noSuchFunction, "78": noSuchFunction,
		"87": noSuchFunction, "105": noSuchFunction, "115": noSuchFunction, "117": noSuchFunction, "141": noSuchFunction,
		"162": noSuchFunction, "172": noSuchFunction,
	},
	"mbpp": {
		"367": "its tests use a class of the reference solution", "927": "its tests use a class of the reference solution",
	},
}

const (
	helperTested   = "the entry point is a helper of the original solution"
	calledTwice    = "the tests call the candidate on its own result"
	noSuchFunction = "math.isclose became math.candidate in the tests"
)

// markDamaged notes known damage in the problems of a data set, and says which problems have it.
func markDamaged(dataset string, problems []task.Problem) (ids []string) {
	for _, p := range problems {
		origin, number, found := strings.Cut(p.ID, "/")
		known := damage[dataset]
		if dataset == "mbpp" && found && origin == "MBPP" {
			known = damage["mbpp-openmlrl"]
		}
		if !found {
			number = p.ID
		}
		if why := known[number]; why != "" {
			p.Fields[FieldDamaged] = why
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// warnings says in one line which items are damaged.
func warnings(dataset string, ids []string) []string {
	if len(ids) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("task %s: the tests of %d items are known to be wrong (%s): set task.damaged to drop to leave them out",
		dataset, len(ids), strings.Join(ids, ", "))}
}

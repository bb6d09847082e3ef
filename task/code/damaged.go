package code

import "strings"

// damage lists items whose tests are known to be wrong: a reward of 0 there says
// nothing about a model.
var damage = map[string]map[string]string{
	coopHumanEval: {
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
	mbpp: {
		"367": "its tests use a class of the reference solution", "927": "its tests use a class of the reference solution",
	},
}

const (
	helperTested   = "the entry point is a helper of the original solution"
	calledTwice    = "the tests call the candidate on its own result"
	noSuchFunction = "math.isclose became math.candidate in the tests"
)

// damageOf says what is known to be wrong with an item of a data set; empty: nothing. MBPP's items are numbers in its own forms
// and "MBPP/…" in the converted one.
func damageOf(dataset, id string) string {
	origin, number, found := strings.Cut(id, "/")
	if !found {
		number = id
	}
	if dataset == mbpp && found && origin == "MBPP" {
		dataset = "mbpp-openmlrl"
	}
	return damage[dataset][number]
}

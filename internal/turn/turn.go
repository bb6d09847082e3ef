// Package turn divides long lists of checks. The tests that everybody runs have a share of each; the step long of CI has all of them.
//
//	for i, name := range recipes {
//		if turn.Share(i) { check(name) }
//	}
//
// And CI divides them among landings. CI on a landing runs a sixth of each list, whose turn it is by the commit: what one
// landing leaves out, one of the next runs. Where nobody says whose turn it is, as in `make ci-long` and before a release, every check runs.
package turn

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
)

// Variable is the environment variable that says whose turn it is, from 0. Without it, it is everything's.
const Variable = "PARLEY_CI_TURN"

// Whole is the environment variable that [Share] has everything's turn for. The step long sets it.
const Whole = "PARLEY_CI_WHOLE"

const turns = 6

// Share reports whether the check at an index of a long list is run: by go test the first of each six, by the step long all, or those whose turn it
// is.
func Share(index int) bool {
	mine := os.Getenv(Variable)
	if os.Getenv(Whole) == "" {
		mine = "0"
	}
	return mine == "" || of(mine) == uint64(index%turns)
}

// Has reports whether it is a check's turn, which its name decides.
func Has(name string) bool {
	value := os.Getenv(Variable)
	if value == "" {
		return true
	}
	turn := of(value)
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // it cannot fail
	return uint64(hash.Sum32())%turns == turn
}

// of reads whose turn it is.
func of(value string) uint64 {
	turn, err := strconv.ParseUint(value, 10, 32)
	if err != nil || turn >= turns {
		panic(fmt.Sprintf("%s=%q: a number below %d", Variable, value, turns))
	}
	return turn
}

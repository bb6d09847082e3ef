// Package turn divides long lists of checks among landings. CI on a landing runs a sixth of each list, whose turn it is by the commit: what one
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

const turns = 6

// Has reports whether it is a check's turn, which its name decides.
func Has(name string) bool {
	value := os.Getenv(Variable)
	if value == "" {
		return true
	}
	turn, err := strconv.ParseUint(value, 10, 32)
	if err != nil || turn >= turns {
		panic(fmt.Sprintf("%s=%q: a number below %d", Variable, value, turns))
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // it cannot fail
	return uint64(hash.Sum32())%turns == turn
}

package table

import (
	"fmt"
	"strconv"
	"strings"
)

// Digits is how many digits stand behind the point of scores, differences and their intervals. The page shows as many: viewer/web/src/format.ts is the twin of
// this file, and testdata/numbers.json holds for both.
const Digits = 3

// Number is a score as people read it. What rounds to 0 has no sign.
func Number(x float64) string { return Fixed(x, Digits) }

// Signed is a difference as people read it: with its sign, unless it rounds to 0.
func Signed(x float64) string { return SignedFixed(x, Digits) }

// Fixed is [Number] with so many digits behind the point.
func Fixed(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// SignedFixed is [Signed] with so many digits behind the point.
func SignedFixed(x float64, digits int) string {
	text := Fixed(x, digits)
	if x > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// Interval is an interval of scores as people read it.
func Interval(ci [2]float64) string { return Number(ci[0]) + " to " + Number(ci[1]) }

// SignedInterval is an interval of a difference as people read it.
func SignedInterval(ci [2]float64) string { return Signed(ci[0]) + " to " + Signed(ci[1]) }

// LeavesZero reports whether an interval of a difference lies on one side of 0 as it is shown: only then may words or colors say which way it goes.
func LeavesZero(ci [2]float64) bool {
	zero := func(x float64) bool { return strings.Trim(Number(x), "-0.") == "" }
	return (ci[0] > 0) == (ci[1] > 0) && !zero(ci[0]) && !zero(ci[1])
}

// PValue is a p-value as tables say it: none is 0, and one that rounds to 0 is said to be below what four digits show.
func PValue(p float64) string {
	if p < 0.00005 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

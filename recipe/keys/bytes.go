package keys

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// sized matches an amount of memory: a number and a unit.
var sized = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(?i:([KMGT])(i?)B)$`)

// Bytes reads an amount such as 8GiB or 500MB; an empty text is 0.
func Bytes(text string) (bytes float64, ok bool) {
	if text == "" {
		return 0, true
	}
	m := sized.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil || n == 0 {
		return 0, false
	}
	base := 1000.0
	if m[3] != "" {
		base = 1024
	}
	return n * math.Pow(base, float64(1+strings.Index("KMGT", strings.ToUpper(m[2])))), true
}

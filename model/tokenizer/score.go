package tokenizer

import (
	"math"
	"strconv"
	"strings"
)

// parseScore reads a JSON number as the reference's parser does: all digits as one whole number, which is rounded, then divided
// or multiplied by the power of ten, which rounds again. The last bit decides between cuts of a word that are equally good, such
// as those of a long run of one digit.
func parseScore(number string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	power, err := strconv.Atoi(exponent)
	if exponent == "" {
		power, err = 0, nil
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, parseErr := strconv.ParseUint(strings.TrimPrefix(whole, "-")+fraction, 10, 64)
	power -= len(fraction)
	if err != nil || parseErr != nil || power < -22 || power > 22 {
		// Numbers of more than 19 digits or beyond the exact powers of ten are no scores in practice: the nearest value.
		nearest, _ := strconv.ParseFloat(number, 64)
		return nearest
	}
	score := float64(digits)
	if power < 0 {
		score /= math.Pow10(-power)
	} else {
		score *= math.Pow10(power)
	}
	if strings.HasPrefix(number, "-") {
		return -score
	}
	return score
}

package answer

import (
	"math/big"
	"regexp"
	"strings"
)

// scales are the number words that multiply the number before them.
var scales = map[string]string{
	"hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000", "trillion": "1000000000000",
	"hundreds": "100", "thousands": "1000", "millions": "1000000", "billions": "1000000000", "trillions": "1000000000000",
	"halves": "1/2", "thirds": "1/3", "fourths": "1/4", "fifths": "1/5", "sixths": "1/6", "sevenths": "1/7", "eighths": "1/8", "ninths": "1/9",
	"tenths": "1/10", "hundredths": "1/100", "thousandths": "1/1000", "millionths": "1/1000000",
}

// fractions are what may follow "and" behind a number.
var fractions = map[string]string{
	"a half": "1/2", "one half": "1/2", "a third": "1/3", "one third": "1/3", "two thirds": "2/3",
	"a quarter": "1/4", "one quarter": "1/4", "a fourth": "1/4", "one fourth": "1/4", "three quarters": "3/4", "three fourths": "3/4",
}

var (
	nextWord = regexp.MustCompile(`^[ \t]+([A-Za-z]+)\b`)
	andWords = regexp.MustCompile(`^[ \t]+and[ \t]+([A-Za-z]+)(?:[ \t]+|-)([A-Za-z]+)\b`)
)

// withWords takes in the number words behind a number: 2 million, 5 hundred, 3 and a half.
func (n numeral) withWords(s string) numeral {
	for {
		if m := andWords.FindStringSubmatch(s[n.length:]); m != nil && fractions[strings.ToLower(m[1]+" "+m[2])] != "" {
			part, _ := new(big.Rat).SetString(fractions[strings.ToLower(m[1]+" "+m[2])])
			n = numeral{new(big.Rat).Add(n.value, part), n.length + len(m[0])}
			continue
		}
		m := nextWord.FindStringSubmatch(s[n.length:])
		if m == nil || scales[strings.ToLower(m[1])] == "" || len(n.value.RatString()) > maxNumber {
			return n
		}
		scale, _ := new(big.Rat).SetString(scales[strings.ToLower(m[1])])
		n = numeral{new(big.Rat).Mul(n.value, scale), n.length + len(m[0])}
	}
}

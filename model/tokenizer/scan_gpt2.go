package tokenizer

import "strings"

// scanGPT2 matches [gpt2Pattern].
func scanGPT2(table *[1 << 16]class, s string) int {
	if s[0] == '\'' {
		if n := contraction(s); n > 0 {
			return n
		}
	}
	lead := 0
	if s[0] == ' ' && len(s) > 1 {
		lead = 1
	}
	has, _ := classOf(table, s[lead:])
	switch {
	case has&letter != 0:
		return lead + run(table, s[lead:], letter)
	case has&number != 0:
		return lead + run(table, s[lead:], number)
	case has&space == 0:
		return lead + runNot(table, s[lead:], space|letter|number)
	}
	return scanSpace(table, s)
}

// contraction matches 's|'t|'re|'ve|'m|'ll|'d.
func contraction(s string) int {
	if len(s) > 1 {
		switch s[1] {
		case 's', 't', 'm', 'd':
			return 2
		}
	}
	if strings.HasPrefix(s, "'re") || strings.HasPrefix(s, "'ve") || strings.HasPrefix(s, "'ll") {
		return 3
	}
	return 0
}

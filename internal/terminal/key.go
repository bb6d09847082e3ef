package terminal

import (
	"strings"
	"unicode/utf8"
)

// A key is what one press means to a line.
type key int

const (
	text key = iota // a character to insert
	ignored
	enter
	leave       // ^C
	eraseOrQuit // ^D: erases under the cursor; on an empty line the end
	backspace
	erase
	eraseWord
	eraseBefore
	eraseAfter
	left
	right
	home
	end
	earlier
	later
)

// nextKey reads the first key of what was typed. Its length is 0 where more bytes have to come before it is known.
func nextKey(input []byte) (k key, length int) {
	switch {
	case len(input) == 0:
		return ignored, 0
	case input[0] == '\x1b':
		return escapeSequence(input)
	case input[0] < ' ' || input[0] == '\x7f':
		return controlKey(input[0]), 1
	case !utf8.FullRune(input):
		return ignored, 0
	}
	r, n := utf8.DecodeRune(input)
	if r == utf8.RuneError && n == 1 {
		return ignored, 1
	}
	return text, n
}

func controlKey(c byte) key {
	switch c {
	case '\r', '\n':
		return enter
	case '\x7f', '\b':
		return backspace
	}
	switch c + '@' {
	case 'A':
		return home
	case 'B':
		return left
	case 'C':
		return leave
	case 'D':
		return eraseOrQuit
	case 'E':
		return end
	case 'F':
		return right
	case 'K':
		return eraseAfter
	case 'N':
		return later
	case 'P':
		return earlier
	case 'U':
		return eraseBefore
	case 'W':
		return eraseWord
	}
	return ignored
}

// escapeSequence reads ESC [ parameters letter and ESC O letter, as terminals send them for arrows and the keys beside them.
func escapeSequence(input []byte) (k key, length int) {
	if len(input) == 1 {
		return ignored, 0
	}
	if input[1] != '[' && input[1] != 'O' {
		return ignored, 2
	}
	for i := 2; i < len(input); i++ {
		if c := input[i]; c >= '@' && c <= '~' {
			return namedKey(string(input[2:i]), c), i + 1
		}
	}
	return ignored, 0
}

func namedKey(parameters string, final byte) key {
	switch final {
	case 'A':
		return earlier
	case 'B':
		return later
	case 'C':
		return right
	case 'D':
		return left
	case 'H':
		return home
	case 'F':
		return end
	case '~':
		number, _, _ := strings.Cut(parameters, ";")
		switch number {
		case "1", "7":
			return home
		case "3":
			return erase
		case "4", "8":
			return end
		}
	}
	return ignored
}

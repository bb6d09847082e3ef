package plainfile

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// CheckText returns an error for a line that is not UTF-8. The advice is for the encoding that it most probably is.
func CheckText(line []byte) error {
	if utf8.Valid(line) {
		return nil
	}
	at := 0
	for at < len(line) {
		r, n := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	if end := line[at:]; len(end) >= 3 && end[0] == 0xed && end[1] >= 0xa0 {
		return errors.New("it holds half of a surrogate pair, which is no text: remove it")
	}
	return fmt.Errorf("byte %d is 0x%02x, which is not UTF-8: if the file is in Latin-1 or Windows-1252, save it as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`", at+1, line[at])
}

// CheckJSON is [CheckText] for JSON, whose escapes may name halves of surrogate pairs too, such as \ud800. A reader would put the replacement
// character in their place.
func CheckJSON(data []byte) error {
	if err := CheckText(data); err != nil {
		return err
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		unit, ok := escaped(data[i:])
		if !ok {
			i++ // the character behind the backslash is no beginning of an escape
			continue
		}
		switch {
		case high(unit):
			second, ok := escaped(data[i+6:])
			if !ok || !low(second) {
				return lone(unit)
			}
			i += 11
		case low(unit):
			return lone(unit)
		default:
			i += 5
		}
	}
	return nil
}

func lone(unit uint64) error {
	return fmt.Errorf(`\u%04x is half of a surrogate pair, which is no text: remove it, or write both halves`, unit)
}

// escaped reads a \uXXXX.
func escaped(data []byte) (unit uint64, ok bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return unit, err == nil
}

func high(unit uint64) bool { return unit >= 0xd800 && unit < 0xdc00 }
func low(unit uint64) bool  { return unit >= 0xdc00 && unit < 0xe000 }

package jinja

import (
	"fmt"
	"strings"
	"time"
)

// strftimeNow prints the time of the rendering.
func strftimeNow(r *run, args callArgs) (any, error) {
	a, given, err := args.strings("format")
	if err != nil {
		return nil, err
	}
	if !given[0] {
		return nil, fmt.Errorf("strftime_now needs a format")
	}
	return strftime(r.now, a[0])
}

// layouts are C's conversions in Go's words, in the C locale.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02",
	'D': "01/02/06", 'e': "_2", 'F': "2006-01-02", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM",
	'r': "03:04:05 PM", 'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
}

// strftime formats t as Python's strftime does for a time without zone. A - after the % drops leading zeros.
func strftime(t time.Time, format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		bare := i < len(format) && format[i] == '-'
		if bare {
			i++
		}
		if i >= len(format) {
			return "", fmt.Errorf("strftime: the format %.80q ends in the middle of a conversion", format)
		}
		text, err := conversion(t, format[i])
		if err != nil {
			return "", err
		}
		if bare && text != "" {
			text = strings.TrimLeft(text[:len(text)-1], "0 ") + text[len(text)-1:]
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// conversion is one %c.
func conversion(t time.Time, c byte) (string, error) {
	if layout, ok := layouts[c]; ok {
		return t.Format(layout), nil
	}
	switch c {
	case '%':
		return "%", nil
	case 'n':
		return "\n", nil
	case 't':
		return "\t", nil
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), nil
	case 'u':
		return fmt.Sprint((int(t.Weekday())+6)%7 + 1), nil
	case 'z', 'Z': // a time without zone
		return "", nil
	case 'w':
		return fmt.Sprint(int(t.Weekday())), nil
	}
	return "", fmt.Errorf("strftime: the conversion %%%c is not supported", c)
}

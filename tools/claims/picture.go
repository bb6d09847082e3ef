package claims

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
)

// interval matches the interval of a row: updates of a diagnosis, 15 to 22, are none.
var interval = regexp.MustCompile(`\d\.\d+ to [-+]?\d+\.\d`)

// Rows are the rows of a table of results.
func Rows(text string) (rows []string) {
	for _, line := range strings.Split(text, "\n") {
		if len(numbersOf(line)) >= 5 && interval.MatchString(line) && !strings.HasPrefix(line, "|") {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
	}
	return rows
}

// PNGText returns a text that a PNG file holds beside its picture.
func PNGText(data []byte, key string) string {
	for rest := data[8:]; len(rest) >= 12; {
		size := int(binary.BigEndian.Uint32(rest))
		kind, content := string(rest[4:8]), rest[8:8+size]
		if prefix := []byte(key + "\x00"); kind == "iTXt" && bytes.HasPrefix(content, prefix) {
			// Two bytes of compression, which is off, then language and translated key, which are empty.
			return string(content[len(prefix)+4:])
		}
		rest = rest[12+size:]
	}
	return ""
}

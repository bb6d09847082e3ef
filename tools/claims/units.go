package claims

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
)

// A unit is a paragraph, an item of a list, a table row, or a line of a fenced block.
type unit struct {
	text   string
	head   string // of a table row: the head of the table
	fenced bool
}

func units(doc string) (list []unit) {
	fenced, open := false, false // open: the next line goes on with the last unit
	head := ""
	for _, line := range strings.Split(doc, "\n") {
		line = strings.TrimSpace(line)
		cells := strings.HasPrefix(line, "|")
		row := cells || strings.HasPrefix(line, "#")
		switch {
		case !cells:
			head = ""
		case head == "":
			head = line
		}
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, open = !fenced, false
		case line == "":
			open = false
		case open && !fenced && !row && !strings.HasPrefix(line, "- "):
			list[len(list)-1].text += " " + line
		default:
			list = append(list, unit{line, head, fenced})
			open = !fenced && !row
		}
	}
	return list
}

var headings = regexp.MustCompile(`(?m)^(#+) (.*)$`)

// Section is what stands under a heading, the sections below it included. Without an anchor it is the whole page.
func Section(page, anchor string) string {
	if anchor == "" {
		return page
	}
	begin, level := -1, 0
	for _, m := range headings.FindAllStringSubmatchIndex(page, -1) {
		depth := m[3] - m[2]
		if begin >= 0 && depth <= level {
			return page[begin:m[0]]
		}
		if begin < 0 && slug(page[m[4]:m[5]]) == anchor {
			begin, level = m[1], depth
		}
	}
	if begin < 0 {
		return ""
	}
	return page[begin:]
}

// slug is the anchor of a heading.
func slug(heading string) string {
	keep := func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case isLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("-_", r) || r > 127:
			return r
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(heading))
}

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

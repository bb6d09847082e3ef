package parley_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file finds numbers in a document that have no source.
//
// A claim is the text up to a link to docs/results.md or docs/performance.md. Each of its numbers has to stand in the section that the link
// names, in a table row, a line of a fenced block or a paragraph that has a word in common with the claim. The head of a table counts for
// its rows. A line with figures in a fenced block has to be a line of docs/results.md. "Go 1.26" has to be what go.mod asks for. Names
// (Qwen2.5-0.5B), versions (1.4.3), months, code, and the texts of links to other sites are no claims.

// checkClaims says which numbers of a document have no source.
func checkClaims(doc string, read func(page string) string) (faults []string) {
	var measured []string
	for _, u := range units(read("docs/results.md")) {
		measured = append(measured, strings.Join(strings.Fields(u.text), " "))
	}
	for _, u := range units(doc) {
		if !u.fenced {
			faults = append(faults, checkText(u.text, read)...)
		} else if line := strings.Join(strings.Fields(u.text), " "); figures.MatchString(line) && !typed.MatchString(line) && !slices.Contains(measured, line) {
			faults = append(faults, fmt.Sprintf("docs/results.md has no line %q", line))
		}
	}
	return faults
}

var (
	figures    = regexp.MustCompile(`\d\.\d`)
	typed      = regexp.MustCompile(`^(parley|go|make) `)
	pictures   = regexp.MustCompile(`!\[[^]]*\]\([^)]*\)`)
	elsewhere  = regexp.MustCompile(`\[[^]]*\]\(https?:[^)]*\)`)
	codeSpans  = regexp.MustCompile("`[^`]*`")
	month      = regexp.MustCompile(`(January|February|March|April|May|June|July|August|September|October|November|December) \d{4}`)
	goWords    = regexp.MustCompile(`\bGo (\d+\.\d+)\b`)
	link       = regexp.MustCompile(`\[([^]]*)\]\(([^)]*)\)`)
	number     = regexp.MustCompile(`^[+−]?\d[\d,]*(\.\d+)?½?$`)
	version    = regexp.MustCompile(`^\d+\.\d+\.\d`)
	longWords  = regexp.MustCompile(`[\pL][\pL-]{4,}`)
	sourcePage = regexp.MustCompile(`^docs/(results|performance)\.md(#|$)`)
)

// checkText checks the claims of a paragraph, a table row or an item of a list. A claim reaches up to the link to its source.
func checkText(text string, read func(page string) string) (faults []string) {
	for _, m := range goWords.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(read("go.mod"), "\ngo "+m[1]+".") {
			faults = append(faults, "go.mod does not ask for Go "+m[1])
		}
	}
	for _, skipped := range []*regexp.Regexp{pictures, elsewhere, codeSpans, month, goWords} {
		text = skipped.ReplaceAllString(text, "")
	}
	for text != "" {
		claim, page, anchor := text, "", ""
		text = ""
		for _, at := range link.FindAllStringSubmatchIndex(claim, -1) {
			if target := claim[at[4]:at[5]]; sourcePage.MatchString(target) {
				page, anchor, _ = strings.Cut(target, "#")
				claim, text = claim[:at[0]], claim[at[1]:]
				break
			}
		}
		source := ""
		if page != "" {
			if source = sectionOf(read(page), anchor); source == "" {
				faults = append(faults, fmt.Sprintf("%s has no section %q", page, anchor))
			}
		}
		faults = append(faults, checkClaim(link.ReplaceAllString(claim, "$1"), source)...)
	}
	return faults
}

// checkClaim looks for the numbers of a claim in the units of its source that have a word in common with it.
func checkClaim(claim, source string) (faults []string) {
	for _, n := range numbersOf(claim) {
		if !number.MatchString(n) {
			faults = append(faults, fmt.Sprintf("write %q as numbers with words between them", n))
		} else if !slices.ContainsFunc(units(source), func(u unit) bool { return slices.Contains(numbersOf(u.text), n) && related(u.text+" "+u.head, claim) }) {
			faults = append(faults, fmt.Sprintf("%s has no source: %q", n, strings.Join(strings.Fields(claim), " ")))
		}
	}
	return faults
}

// numbersOf lists the words of a text that begin or end with a digit and hold no letter. Versions are left out.
func numbersOf(text string) (list []string) {
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "()[].,:;|*_\"'×%")
		if strings.ContainsAny(word, "0123456789") && !strings.ContainsFunc(word, isLetter) && !version.MatchString(word) {
			list = append(list, word)
		}
	}
	return list
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// related says whether texts have a word of at least five letters in common.
func related(a, b string) bool {
	words := longWords.FindAllString(strings.ToLower(b), -1)
	return slices.ContainsFunc(longWords.FindAllString(strings.ToLower(a), -1), func(w string) bool { return slices.Contains(words, w) })
}

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

// sectionOf is what stands under a heading, the sections below it included. Without an anchor it is the whole page.
func sectionOf(page, anchor string) string {
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

// rowsOf are the rows of a table of results.
func rowsOf(text string) (rows []string) {
	for _, line := range strings.Split(text, "\n") {
		if len(numbersOf(line)) >= 5 && interval.MatchString(line) && !strings.HasPrefix(line, "|") {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
	}
	return rows
}

// pngText returns a text that a PNG file holds beside its picture.
func pngText(data []byte, key string) string {
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

// TestClaims has documents with and without faults.
func TestClaims(t *testing.T) {
	pages := map[string]string{
		"go.mod":              "module parley\n\ngo 1.26.0\n",
		"docs/results.md":     "# Results\n\n## A run\n\n```\nsystem  score\nteams   0.594\n```\n\nTraining took\n7 minutes.\n\n### Part\n\n| seeds | losses |\n|---|---|\n| 3 | 0.5 |\n\n## Another\n\nTraining took 8 minutes.\n",
		"docs/performance.md": "# Speed\n",
	}
	for doc, want := range map[string]string{
		"The teams have 0.594 ([run](docs/results.md#a-run)).":                                  "",
		"Training took 7\nminutes with 3 seeds\n([run](docs/results.md#a-run)).":                "",
		"The losses are 0.5 ([run](docs/results.md#a-run)).":                                    "",
		"```\nteams 0.594\nparley train --set x=0.3\n```":                                       "",
		"With Go 1.26, [TRL](https://x.org) 1.16.0 of May 2025, Qwen2.5-0.5B and a 4-bit base.": "",
		"The teams have 0.595 ([run](docs/results.md#a-run)).":                                  "0.595",
		"The agent has 0.594 ([run](docs/results.md#a-run)).":                                   "0.594",
		"Training took 8 minutes ([run](docs/results.md#a-run)).":                               "8",
		"The teams have 0.594.":                                   "0.594",
		"([run](docs/results.md#a-run)) The teams have 0.594.":    "0.594",
		"The teams have 0.594 ([run](docs/results.md#no-run)).":   "no-run",
		"The teams have 0.594 ([speed](docs/performance.md)).":    "0.594",
		"Training took 7–8 minutes ([run](docs/results.md#run)).": "7–8",
		"```\nteams 0.595\n```":                                   "teams 0.595",
		"You need Go 1.25.":                                       "1.25",
		"| a | 0.594 |\n| b | 2 [run](docs/results.md#a-run) |":   "0.594",
	} {
		got := strings.Join(checkClaims(doc, func(page string) string { return pages[page] }), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: faults %q, want %q", doc, got, want)
		}
	}
}

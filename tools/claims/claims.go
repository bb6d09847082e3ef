// Package claims finds numbers in a document that have no source.
//
// A claim is the text up to a link to docs/results.md or docs/performance.md. Each of its numbers has to stand in the section that the link
// names, in a table row, a line of a fenced block or a paragraph that has a word in common with the claim. The head of a table counts for
// its rows. A line with figures in a fenced block has to be a line of docs/results.md. "Go 1.26" has to be what go.mod asks for. Names
// (Qwen2.5-0.5B), versions (1.4.3), months, code, and the texts of links to other sites are no claims.
//
//	claims.go   [Check]: claims and their sources
//	units.go    paragraphs, table rows and sections of a document; the text that a picture holds, and tables of results
package claims

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Check says which numbers of a document have no source.
func Check(doc string, read func(page string) string) (faults []string) {
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
	picture    = regexp.MustCompile(`!\[[^]]*\]\([^)]*\)`)
	elsewhere  = regexp.MustCompile(`\[[^]]*\]\(https?:[^)]*\)`)
	code       = regexp.MustCompile("`[^`]*`")
	month      = regexp.MustCompile(`(January|February|March|April|May|June|July|August|September|October|November|December) \d{4}`)
	goVersion  = regexp.MustCompile(`\bGo (\d+\.\d+)\b`)
	link       = regexp.MustCompile(`\[([^]]*)\]\(([^)]*)\)`)
	number     = regexp.MustCompile(`^[+−]?\d[\d,]*(\.\d+)?½?$`)
	version    = regexp.MustCompile(`^\d+\.\d+\.\d`)
	longWords  = regexp.MustCompile(`[\pL][\pL-]{4,}`)
	sourcePage = regexp.MustCompile(`^docs/(results|performance)\.md(#|$)`)
)

// checkText checks the claims of a paragraph, a table row or an item of a list. A claim reaches up to the link to its source.
func checkText(text string, read func(page string) string) (faults []string) {
	for _, m := range goVersion.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(read("go.mod"), "\ngo "+m[1]+".") {
			faults = append(faults, "go.mod does not ask for Go "+m[1])
		}
	}
	for _, skipped := range []*regexp.Regexp{picture, elsewhere, code, month, goVersion} {
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
			if source = Section(read(page), anchor); source == "" {
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

package labelled

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// table returns the cells of a table of docs/rewards.md, without its head: that which begins with a line.
func table(t *testing.T, head string) (rows [][]string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/rewards.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), head+"\n")
	if !ok {
		t.Fatalf("docs/rewards.md has no table %s", head)
	}
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		for i, c := range cells {
			if c = strings.TrimSpace(c); len(c) > 1 && strings.HasPrefix(c, "`") && strings.HasSuffix(c, "`") {
				c = c[1 : len(c)-1]
			}
			cells[i] = c
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestEqual: answers are equal as the table of the docs says, whatever part of a response they are, and a right answer stays as it is.
func TestEqual(t *testing.T) {
	rows := table(t, "| right answer | answer | `exact` | `normalised` | `squad` | `number` |")
	if len(rows) < 50 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, cells := range rows {
		right, given := cells[0], cells[1]
		for i, match := range []Match{Exact, Normalised, Squad, SameNumber} {
			s := usual(func(s *DataSettings) { s.Match, s.Final = match, Boxed })
			row, err := json.Marshal(map[string]string{"question": "q", "answer": right})
			if err != nil {
				t.Fatal(err)
			}
			item, err := s.read(row)
			if cells[2+i] == "–" {
				if err == nil {
					t.Errorf("%s is a %s", right, match)
				}
				continue
			}
			if err != nil || item.Truth != right {
				t.Errorf("%s, %s: %q, %v", right, match, item.Truth, err)
				continue
			}
			got, ok := s.answerTo(item.Problem, `\boxed{`+given+`}`)
			if equal := ok && got == item.Right(); equal != (cells[2+i] == "yes") {
				t.Errorf("%s and %s, %s: %v; %q, %q", right, given, match, equal, item.Right(), got)
			}
		}
	}
}

// TestRead: what is read of a response is what the table of the docs says.
func TestRead(t *testing.T) {
	for _, cells := range table(t, "| the last line of a response | `boxed` | `last-line` | `last-number` |") {
		for i, final := range []Final{Boxed, LastLine, LastNumber} {
			s := usual(func(s *DataSettings) { s.Match, s.Final = Exact, final })
			if final == LastNumber {
				s.Match = SameNumber
			}
			if got, _ := s.parse("It is 1 + 72.\n\n" + cells[0]); got != cells[1+i] && (final != LastNumber || cells[3] != "" || got != "72") {
				t.Errorf("%s, %s: %q", cells[0], final, got)
			}
		}
	}
}

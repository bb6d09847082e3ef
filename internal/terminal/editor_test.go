package terminal

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"
)

// typed returns an editor whose keys come in the given pieces, and the screen that it draws to.
func typed(columns int, pieces ...string) (*Editor, *fakeScreen) {
	s := &fakeScreen{columns: columns}
	return NewEditor(&reader{pieces}, s, "> ", func() int { return columns }), s
}

// A reader returns one piece a call.
type reader struct{ pieces []string }

func (r *reader) Read(p []byte) (int, error) {
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.pieces[0])
	if r.pieces[0] = r.pieces[0][n:]; r.pieces[0] == "" {
		r.pieces = r.pieces[1:]
	}
	return n, nil
}

// A fakeScreen is a terminal that knows what the editor writes. pending: the last column is full, the next character begins a row.
type fakeScreen struct {
	columns     int
	cells       [][]string
	row, column int
	pending     bool
}

func (s *fakeScreen) Write(p []byte) (int, error) {
	for text := string(p); text != ""; {
		if strings.HasPrefix(text, "\x1b[") {
			text = s.escape(text[2:])
			continue
		}
		cluster, rest, width, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		text = rest
		for _, c := range cluster {
			if c == '\r' {
				s.column, s.pending = 0, false
			}
			if c == '\n' {
				s.row, s.pending = s.row+1, false
			}
		}
		if cluster[0] >= ' ' {
			s.put(cluster, width)
		}
	}
	return len(p), nil
}

func (s *fakeScreen) escape(text string) (rest string) {
	n := 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
			continue
		case c == 'A':
			s.row, s.pending = max(s.row-n, 0), false
		case c == 'C':
			s.column, s.pending = min(s.column+n, s.columns-1), false
		case c == 'J':
			s.cut()
		}
		return text[i+1:]
	}
	return ""
}

// cut clears what is right of the cursor and below.
func (s *fakeScreen) cut() {
	if s.row < len(s.cells) {
		s.cells = s.cells[:s.row+1]
		s.cells[s.row] = s.cells[s.row][:min(s.column, len(s.cells[s.row]))]
	}
}

func (s *fakeScreen) put(cluster string, width int) {
	if s.pending || s.column+width > s.columns {
		s.row, s.column, s.pending = s.row+1, 0, false
	}
	for len(s.cells) <= s.row {
		s.cells = append(s.cells, nil)
	}
	line := s.cells[s.row]
	for len(line) < s.column {
		line = append(line, " ")
	}
	line = append(line[:s.column], cluster)
	if width == 2 {
		line = append(line, "")
	}
	s.cells[s.row] = line
	if s.column += width; s.column == s.columns {
		s.column, s.pending = s.columns-1, true
	}
}

func (s *fakeScreen) String() string {
	var b strings.Builder
	for _, line := range s.cells {
		b.WriteString(strings.Join(line, ""))
	}
	return b.String()
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"plain", "2 + 3?", "2 + 3?"},
		{"backspace", "/hellp\x7f\x7fp", "/help"},
		{"backspace on nothing", "\x7fa", "a"},
		{"left, insert", "ac\x1b[Db", "abc"},
		{"left and right beyond the ends", "ab\x1b[D\x1b[D\x1b[D\x1b[D!\x1b[C\x1b[C\x1b[C?", "!ab?"},
		{"Home and End", "b\x1b[Ha\x1b[Fc\x1bOHx\x1bOFy", "xabcy"},
		{"the same as ^A and ^E, ^B and ^F", "b\x01a\x05c\x02-\x06+", "ab-c+"},
		{"numbered keys", "b\x1b[1~a\x1b[4~c\x1b[7~x\x1b[8~y", "xabcy"},
		{"Delete and ^D", "abc\x01\x1b[3~\x04", "c"},
		{"^K", "abc\x02\x0b", "ab"},
		{"^U", "abc\x02\x15", "c"},
		{"^W", "what is  this  \x17\x17that", "what that"},
		{"a character of several runes", "e\u0301👩‍👩‍👧‍👦x\x7f\x7fy", "e\u0301y"},
		{"unknown sequences and control characters", "a\x1b[15~\x1b[1;5P\x1bz\x00\x1db\t\xff", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole, _ := typed(80, c.keys+"\r")
			if got, err := whole.ReadLine(); err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			var pieces []string
			for i := range len(c.keys) {
				pieces = append(pieces, c.keys[i:i+1])
			}
			bytewise, _ := typed(80, append(pieces, "\r")...)
			if got, err := bytewise.ReadLine(); err != nil || got != c.want {
				t.Errorf("a byte at a time: got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestLines types several lines at once, as a paste does: each belongs to a call.
func TestLines(t *testing.T) {
	e, _ := typed(80, "one\rtwo\rthr", "ee\r", "\x1b[A\x1b[A\r", "new\x1b[A!\x1b[B2\r", "x\x03")
	for _, want := range []string{"one", "two", "three", "two", "new2"} {
		if got, err := e.ReadLine(); err != nil || got != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	for _, what := range []string{"^C", "the end of the input"} {
		if got, err := e.ReadLine(); err != io.EOF || got != "" {
			t.Errorf("%s: got %q, %v", what, got, err)
		}
	}
	e, _ = typed(80, "\x04")
	if _, err := e.ReadLine(); err != io.EOF {
		t.Errorf("^D on an empty line: %v", err)
	}
}

// TestDrawing checks after every key that the screen shows prompt and line, and that the cursor stands where the next character
// will be, whatever the width of the terminal and of the characters.
func TestDrawing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(3, 12).Draw(t, "columns")
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b ", "é", "漢", "👩‍👩‍👧‍👦", "\x7f", "\x1b[D", "\x1b[C", "\x01", "\x05", "\x17", "\x0b"}), 1, 60).Draw(t, "keys")
		e, s := typed(columns)
		if err := e.draw(); err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			e.input = []byte(k)
			if done, err := e.useInput(); done || err != nil {
				t.Fatal(done, err)
			}
			if err := e.draw(); err != nil {
				t.Fatal(err)
			}
			if want := "> " + e.line.String(); s.String() != want {
				t.Fatalf("%d columns show %q, want %q", columns, s, want)
			}
			row, column := place("> "+e.line.before, columns)
			if column == columns {
				row, column = row+1, 0
			}
			if s.row != row || s.column != column || s.pending {
				t.Fatalf("cursor at %d, %d (%v), want %d, %d in %q", s.row, s.column, s.pending, row, column, s)
			}
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("a\x1b[1;5D\x1bOA\xe6\xbc\xa2\x7f"))
	f.Fuzz(func(t *testing.T, input []byte) {
		e := NewEditor(&reader{}, io.Discard, "", func() int { return 7 })
		e.input = input
		for {
			done, err := e.useInput()
			if !utf8.ValidString(e.line.String()) {
				t.Fatalf("the line is %q", e.line.String())
			}
			if !done || err != nil {
				return
			}
			e.keep()
			e.line = line{}
		}
	})
}

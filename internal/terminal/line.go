package terminal

import (
	"strings"

	"github.com/rivo/uniseg"
)

// A line is the text that is being edited, cut at the cursor. What the cursor steps over and what is erased at once is a
// grapheme cluster: what a person takes for one character.
type line struct{ before, after string }

func (l *line) String() string { return l.before + l.after }

func (l *line) insert(s string) { l.before += s }

func (l *line) left() {
	n := lastCluster(l.before)
	l.before, l.after = l.before[:n], l.before[n:]+l.after
}

func (l *line) right() {
	n := firstCluster(l.after)
	l.before, l.after = l.before+l.after[:n], l.after[n:]
}

func (l *line) home() { l.before, l.after = "", l.String() }
func (l *line) end()  { l.before, l.after = l.String(), "" }

func (l *line) backspace() { l.before = l.before[:lastCluster(l.before)] }
func (l *line) erase()     { l.after = l.after[firstCluster(l.after):] }

// eraseWord takes away the word before the cursor and the spaces behind it.
func (l *line) eraseWord() {
	word := strings.TrimRight(l.before, " ")
	l.before = word[:strings.LastIndexByte(word, ' ')+1]
}

// edit does what the keys do that change the line alone.
func (l *line) edit(k key, typed string) {
	switch k {
	case text:
		l.insert(typed)
	case backspace:
		l.backspace()
	case erase, eraseOrQuit:
		l.erase()
	case eraseWord:
		l.eraseWord()
	case eraseBefore:
		l.before = ""
	case eraseAfter:
		l.after = ""
	case left:
		l.left()
	case right:
		l.right()
	case home:
		l.home()
	case end:
		l.end()
	}
}

// lastCluster is where the last cluster of s begins.
func lastCluster(s string) int {
	begin := 0
	for at := 0; at < len(s); at += firstCluster(s[at:]) {
		begin = at
	}
	return begin
}

// firstCluster is how many bytes the first cluster of s has.
func firstCluster(s string) int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// place is where the cursor stands after s was written from the first column on: so many rows below, in that column. The column
// may be one past the last: a terminal begins the next row only with the next character.
func place(s string, columns int) (row, column int) {
	for state := -1; s != ""; {
		var width int
		_, s, width, state = uniseg.FirstGraphemeClusterInString(s, state)
		if column+width > columns {
			row, column = row+1, 0
		}
		column += width
	}
	return row, column
}

package cli

import (
	"fmt"
	"os"
	"unicode/utf8"
)

// longestMessage bounds what is printed of an error: a program or a server that it quotes may have said anything.
const longestMessage = 4 << 10

// Bounded is a message, cut where it is too long to read; the whole of it is then in a file, which the end of the message names.
func Bounded(text string) string {
	if len(text) <= longestMessage {
		return text
	}
	cut := longestMessage
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…\n(%d bytes in all%s)", text[:cut], len(text), Kept(text))
}

// Kept writes a text that is not for the terminal into a new file, and says where it is; where that fails, nothing.
func Kept(text string) string {
	f, err := os.CreateTemp("", "parley-error-*.txt")
	if err != nil {
		return ""
	}
	_, err = f.WriteString(text)
	if closed := f.Close(); err != nil || closed != nil {
		return ""
	}
	return "; the whole text is in " + f.Name()
}

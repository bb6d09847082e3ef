// Package service is how parley asks what users run themselves: their programs ([Program]) and their servers ([parley/internal/service/web]).
// Both are asked in JSON, wait no longer than a deadline, and try again what may pass. What is asked and what a reply means is the caller's
// business. A reply that is no text is refused ([Text]), and a long error of a program is cut ([Own]).
//
//	child.go    a program that is asked, line by line; process.go, while it runs
//	group.go    a program that leads a group of its own, with all that it starts
//	process.go   what the drivers of users' Python have in common
//	left.go     what nobody waits for any more
package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/internal/plainfile"
)

// A Reply is what one request came back with: a JSON value, or the reason why there is none.
type Reply struct {
	Body json.RawMessage
	Err  error
}

// Text checks that a reply in JSON is text: it is UTF-8, and no escape in it is half of a character. A reader of JSON would put a replacement
// character there and say nothing.
func Text(reply []byte) error {
	if !utf8.Valid(reply) {
		return errors.New("it is not UTF-8")
	}
	return plainfile.CheckJSON(reply)
}

// longestOwn bounds an error that a reply says, in bytes.
const longestOwn = 4000

// Own is the error that a reply says, the beginning of it where it is long.
func Own(said string) error {
	if len(said) > longestOwn {
		said = fmt.Sprintf("%s … (%d bytes in all)", strings.ToValidUTF8(said[:longestOwn], ""), len(said))
	}
	return errors.New(said)
}

package folder

// This file gives a JSON object a checksum of itself, as its last field, so that damage is noticed. Readers that know nothing of it see one
// more field.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
)

// ErrDamaged is what a text is that is another than was sealed.
var ErrDamaged = errors.New("it is damaged")

// tail is the end of a sealed object.
var tail = regexp.MustCompile(`,\s*"checksum": ?"([0-9a-f]{64})"\s*}\s*$`)

// Seal adds the checksum to a JSON object with at least one field. The checksum is the SHA-256 of all that stands before
// it.
func Seal(object []byte) ([]byte, error) {
	end := bytes.LastIndexByte(object, '}')
	if end < 0 || len(bytes.TrimSpace(object[end+1:])) > 0 {
		return nil, fmt.Errorf("seal: %.20q is no JSON object", object)
	}
	body := bytes.TrimRight(object[:end], " \n\t\r")
	field := `,"checksum":"` + sum(body) + `"`
	if len(body) < end { // it is indented
		field = ",\n" + `  "checksum": "` + sum(body) + `"` + "\n"
	}
	return append(append(body[:len(body):len(body)], field...), object[end:]...), nil
}

// CheckSeal returns [ErrDamaged] where the checksum of a sealed object is wrong. An object without one, of an earlier release, is trusted.
func CheckSeal(object []byte) error {
	at := tail.FindSubmatchIndex(object)
	if at != nil && sum(object[:at[0]]) != string(object[at[2]:at[3]]) {
		return ErrDamaged
	}
	return nil
}

// sum is the checksum of an object without its last bracket.
func sum(body []byte) string {
	hash := sha256.Sum256(body)
	return hex.EncodeToString(hash[:])
}

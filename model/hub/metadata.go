package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// checksumPattern matches a sha256 or a git object id.
var checksumPattern = regexp.MustCompile(`^([0-9a-f]{64}|[0-9a-f]{40})$`)

// longestFile bounds the size of a file that a server may name, so that sizes can be added up.
const longestFile = 1 << 48

// metadata asks for the size and the checksum of a file.
func (p *pull) metadata(ctx context.Context, path string) (f File, err error) {
	err = p.patiently(ctx, func() error {
		answer, err := p.request(ctx, http.MethodHead, p.address(path))
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK && answer.StatusCode/100 != 3 {
			return p.refusal(answer)
		}
		f, err = describe(path, answer)
		return err
	})
	return f, err
}

// describe reads the answer to a HEAD. Large files are redirected to a store; what they are then stands in X-Linked headers.
func describe(path string, answer *http.Response) (File, error) {
	tag, length := answer.Header.Get("X-Linked-Etag"), answer.Header.Get("X-Linked-Size")
	if tag == "" {
		tag = answer.Header.Get("Etag")
	}
	if length == "" && answer.StatusCode == http.StatusOK {
		length = answer.Header.Get("Content-Length")
	}
	sum := strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	if !checksumPattern.MatchString(sum) {
		return File{}, fmt.Errorf("the server names no checksum, but etag %q: the file could not be verified", tag)
	}
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil || size < 0 || size > longestFile {
		return File{}, fmt.Errorf("the server names %q as size", length)
	}
	return File{Path: path, Bytes: size, Checksum: sum}, nil
}

// newHash returns the hash that a file's checksum is of: sha256 of the contents, or sha1 of git's blob object.
func (f *File) newHash() hash.Hash {
	if len(f.Checksum) == 2*sha256.Size {
		return sha256.New()
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", f.Bytes)
	return h
}

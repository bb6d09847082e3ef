package plainfile

import (
	"bytes"
	"strings"
)

// unread are those that people bring and that are not read, by the bytes that they begin with.
var unread = []struct {
	magic string
	FormatError
}{
	{"PK\x03\x04", FormatError{"a zip archive or a spreadsheet", "unpack it, or save the table as CSV"}},
	{"PK\x05\x06", FormatError{"an empty zip archive", "look where the data went"}},
	{"\xfd7zXZ\x00", FormatError{"packed with xz", "unpack it with `xz -d`, or pack it with gzip or zstd"}},
	{"BZh", FormatError{"packed with bzip2", "unpack it with `bzip2 -d`, or pack it with gzip or zstd"}},
	{"7z\xbc\xaf\x27\x1c", FormatError{"a 7z archive", "unpack it"}},
	{"Rar!", FormatError{"a rar archive", "unpack it"}},
	{"\x04\x22\x4d\x18", FormatError{"packed with lz4", "unpack it with `lz4 -d`, or pack it with gzip or zstd"}},
	{"ARROW1", FormatError{"an Arrow file", "save the data set with `to_parquet` or `to_json`"}},
	{"\xff\xff\xff\xff", FormatError{"an Arrow stream", "save the data set with `to_parquet` or `to_json`"}},
	{"ORC", FormatError{"an ORC file", "save it as parquet"}},
	{"Obj\x01", FormatError{"an Avro file", "save it as parquet"}},
	{"SQLite format 3\x00", FormatError{"an SQLite database", "export the table as CSV"}},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FormatError{"an Excel spreadsheet", "save it as CSV"}},
	{"\x89HDF\r\n", FormatError{"an HDF5 file", "save it as parquet or JSON lines"}},
	{"\x93NUMPY", FormatError{"a NumPy array", "save it as JSON lines"}},
	{"%PDF-", FormatError{"a PDF document", "extract its text"}},
	{"\xff\xfe\x00\x00", widerText},
	{"\x00\x00\xfe\xff", widerText},
	{"\xff\xfe", wideText},
	{"\xfe\xff", wideText},
	{"version https://git-lfs", FormatError{"a Git LFS pointer, not the file itself", "run `git lfs pull`, or download the file from the website"}},
}

var (
	wideText  = FormatError{"text in UTF-16", "save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"}
	widerText = FormatError{"text in UTF-32", "save it as UTF-8, for example with `iconv -f UTF-32 -t UTF-8`"}
)

// known returns an error where the first bytes of a file are those of a format that is not read.
func known(first []byte) error {
	for _, f := range unread {
		if bytes.HasPrefix(first, []byte(f.magic)) {
			return &f.FormatError
		}
	}
	if len(first) > 262 && string(first[257:262]) == "ustar" {
		return &FormatError{"a tar archive", "unpack it with `tar -x`"}
	}
	if start := strings.ToLower(string(bytes.TrimSpace(first[:min(len(first), 64)]))); strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") {
		return &FormatError{"a web page", "download the file itself: the address of a page about it gives the page"}
	}
	if wide(first) {
		return &wideText
	}
	return nil
}

// wide says whether text without a byte order mark is in UTF-16: every other byte of the first few is zero.
func wide(first []byte) bool {
	if len(first) < 4 {
		return false
	}
	first = first[:min(len(first), 32)&^1]
	even, odd := true, true
	for i, c := range first {
		if zero := c == 0; i%2 == 0 {
			even = even && zero
		} else {
			odd = odd && zero
		}
	}
	return even != odd
}

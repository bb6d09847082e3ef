package tokenizer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goldens is the folder of expected ids and texts: the package's own copy, or PARLEY_GOLDENS/tokenizer.
func goldens() string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return filepath.Join(dir, "tokenizer")
	}
	return "testdata"
}

// readGolden reads a file, gunzipped if only FILE.gz is there.
func readGolden(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		return data
	}
	packed, err := os.ReadFile(path + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

// exists reports whether path or path.gz is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	_, errGz := os.Stat(path + ".gz")
	return err == nil || errGz == nil
}

// A golden is one record: what the reference makes of a text, of ids, or of a stream of ids.
type golden struct {
	Kind, Tag  string
	Text       *string
	IDs        []int   `json:"ids"`
	IDsSpecial []int   `json:"ids_special"`
	Decode     *string `json:"decode"`
	DecodeSkip *string `json:"decode_skip"`

	SkipSpecial bool      `json:"skip_special_tokens"`
	Chunks      []*string `json:"chunks"`
	Rest        *string   `json:"rest"`
	Full        string    `json:"full"`
}

func readRecords(t testing.TB, data []byte) []golden {
	t.Helper()
	var all []golden
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		t.Fatal("no records")
	}
	return all
}

// TestGoldensTokenizer compares ids, texts and streams with the reference's, for every tokenizer.json that there is.
func TestGoldensTokenizer(t *testing.T) {
	for _, group := range []string{"tiny", "real"} {
		dirs, err := filepath.Glob(filepath.Join(goldens(), group, "*"))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("no tokenizers in %s/%s", goldens(), group)
		}
		for _, dir := range dirs {
			t.Run(group+"/"+filepath.Base(dir), func(t *testing.T) {
				records := readRecords(t, readGolden(t, filepath.Join(dir, "goldens.jsonl")))
				if exists(filepath.Join(dir, "tokenizer.json")) {
					checkRecords(t, parseGolden(t, dir), records)
				} else if !exists(filepath.Join(dir, "vocab.gguf")) {
					t.Fatal("neither tokenizer.json nor vocab.gguf")
				}
			})
		}
	}
}

func parseGolden(t testing.TB, dir string) *Tokenizer {
	t.Helper()
	tok, err := Parse(readGolden(t, filepath.Join(dir, "tokenizer.json")))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// failures bounds what one tokenizer may print.
const failures = 8

func checkRecords(t *testing.T, tok *Tokenizer, records []golden) {
	bad := 0
	for i, g := range records {
		ok := false
		switch g.Kind {
		case "text":
			ok = checkText(t, i, tok, g)
		case "decode":
			ok = checkDecode(t, i, tok, g.IDs, g)
		case "stream":
			ok = checkStream(t, i, tok, g)
		default:
			t.Errorf("record %d: kind %q is not known", i, g.Kind)
		}
		if !ok {
			if bad++; bad > failures {
				t.Fatal("and more")
			}
		}
	}
}

func checkText(t *testing.T, i int, tok *Tokenizer, g golden) bool {
	if got := encoded(t, tok, *g.Text, false); !slices.Equal(got, g.IDs) {
		t.Errorf("record %d (%s): Encode(%.300q) = %v, want %v", i, g.Tag, *g.Text, got, g.IDs)
		return false
	}
	if got := encoded(t, tok, *g.Text, true); !slices.Equal(got, g.IDsSpecial) {
		t.Errorf("record %d (%s): Encode(%.300q, special) = %v, want %v", i, g.Tag, *g.Text, got, g.IDsSpecial)
		return false
	}
	return checkDecode(t, i, tok, g.IDsSpecial, g)
}

func checkDecode(t *testing.T, i int, tok *Tokenizer, ids []int, g golden) bool {
	if got := tok.Decode(ids, true); got != *g.Decode {
		t.Errorf("record %d (%s): Decode(%v) = %.500q, want %.500q", i, g.Tag, ids, got, *g.Decode)
		return false
	}
	if got := tok.Decode(ids, false); got != *g.DecodeSkip {
		t.Errorf("record %d (%s): Decode(%v, without special) = %.500q, want %.500q", i, g.Tag, ids, got, *g.DecodeSkip)
		return false
	}
	return true
}

func checkStream(t *testing.T, i int, tok *Tokenizer, g golden) bool {
	s := tok.Stream()
	s.KeepSpecial = !g.SkipSpecial
	var sent strings.Builder
	for k, id := range g.IDs {
		want := ""
		if g.Chunks[k] != nil {
			want = *g.Chunks[k]
		}
		got := s.Push(id)
		if got != want {
			t.Errorf("record %d: stream %v: chunk %d = %q, want %q", i, g.IDs, k, got, want)
			return false
		}
		sent.WriteString(got)
	}
	rest := s.Flush()
	if g.Rest != nil && (rest != *g.Rest || sent.String()+rest != g.Full) {
		t.Errorf("record %d: stream %v: rest %q, want %q; sent %q, full %q", i, g.IDs, rest, *g.Rest, sent.String(), g.Full)
		return false
	}
	return true
}

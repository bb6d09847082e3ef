package columnar

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func arrowRows(data []byte, memory int64) (rows []string, err error) {
	err = Arrow("set", bytes.NewReader(data), int64(len(data)), memory, func(row int, data []byte) error {
		if row != len(rows)+1 {
			return errors.New("a row has another number")
		}
		rows = append(rows, string(data))
		return nil
	})
	return rows, err
}

func testdata(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestArrowIsParquet: a table has the same rows, byte for byte, in either form, whatever its columns are and however it is packed.
func TestArrowIsParquet(t *testing.T) {
	for file, same := range map[string]string{"every.arrow": "every.parquet", "few-zstd.arrow": "few.parquet", "few-file.arrow": "few.parquet"} {
		want, err := read(t, same)
		if err != nil || len(want) != 2 {
			t.Fatalf("%s: %q, %v", same, want, err)
		}
		if got, err := arrowRows(testdata(t, file), 1<<20); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", file, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

package columnar

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"pgregory.net/rapid"
)

type premise struct {
	UID    string   `parquet:"uid"`
	Label  int64    `parquet:"label"`
	Share  float64  `parquet:"share"`
	Reason *string  `parquet:"reason,optional"`
	Votes  []string `parquet:"votes,list"`
	Text   struct {
		Words int32 `parquet:"words"`
	} `parquet:"text"`
}

func written(t testing.TB, rows ...premise) []byte { return compressed(t, &parquet.Zstd, rows...) }

func compressed(t testing.TB, codec compress.Codec, rows ...premise) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[premise](&b, parquet.Compression(codec))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEach(t *testing.T) {
	because := "it rains"
	data := written(t, premise{UID: "a", Label: -1, Share: 0.5, Votes: []string{"e", "n"}}, premise{UID: "ü", Label: 2, Reason: &because})
	var got []map[string]any
	err := Parquet("set.parquet", bytes.NewReader(data), int64(len(data)), func(row int, data []byte) error {
		var m map[string]any
		if row != len(got)+1 {
			t.Errorf("row %d after %d", row, len(got))
		}
		err := json.Unmarshal(data, &m)
		got = append(got, m)
		return err
	})
	words := map[string]any{"words": 0.0}
	want := []map[string]any{
		{"uid": "a", "label": -1.0, "share": 0.5, "reason": nil, "votes": []any{"e", "n"}, "text": words},
		{"uid": "ü", "label": 2.0, "share": 0.0, "reason": because, "votes": []any{}, "text": words},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
}

// read reads a file of testdata.
func read(t *testing.T, file string) (rows []string, err error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	err = Parquet(file, bytes.NewReader(data), int64(len(data)), func(_ int, data []byte) error {
		rows = append(rows, string(data))
		return nil
	})
	return rows, err
}

// TestPyarrow reads what pyarrow wrote.
func TestPyarrow(t *testing.T) {
	got, err := read(t, "arrow.parquet")
	want := []string{
		`{"uid":"a","premise":"It rains.","hypothesis":"It is wet.","label":0,"reason":"wet","votes":["e","n"]}`,
		`{"uid":"b","premise":"It rains.","hypothesis":"It is dry.","label":2,"reason":null,"votes":[]}`,
		`{"uid":"ü","premise":"It rains.","hypothesis":"It is cold.","label":-1,"reason":"","votes":["n"]}`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestTypes reads a column of every type: numbers that do not fit, that are none, that are decimals, and what nests them.
func TestTypes(t *testing.T) {
	got, err := read(t, "types.parquet")
	want := []string{
		`{"text":"a","large":"b","dictionary":"x","bytes":"plain","yes":true,"i8":-128,"u8":0,"u32":0,"i64":-9223372036854775808,` +
			`"u64":9223372036854775808,"f16":0.5,"f16nan":null,"f32":0.1,"f64":0.1,"inf":null,"big":1e+300,"d9":1.50,"d18":12.3450,` +
			`"d38":123456789012345678901234567890.12,"d0":17,"day":"2024-02-29","at":"2024-02-29T12:30:01.25","list":[1,2],"lists":[["a"],[]],` +
			`"struct":{"u":18446744073709551615,"d":0.5},"structs":[{"t":"a","f":null}],"map":{"k":1.5},"none":null}`,
		`{"text":"ü","large":null,"dictionary":"y","bytes":"/wA=","yes":false,"i8":127,"u8":255,"u32":4294967295,"i64":9223372036854775807,` +
			`"u64":18446744073709551615,"f16":-1.0,"f16nan":65504.0,"f32":2.0,"f64":null,"inf":null,"big":2.0,"d9":-0.05,"d18":-7.0000,` +
			`"d38":-0.01,"d0":null,"day":"1969-12-31","at":null,"list":[],"lists":null,"struct":{"u":1,"d":null},"structs":[],"map":{},"none":null}`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNoRows: a file without columns, and one without rows, have no rows.
func TestNoRows(t *testing.T) {
	for _, file := range []string{"empty.parquet", "nocolumns.parquet"} {
		if got, err := read(t, file); err != nil || len(got) != 0 {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

// TestHalf: a float of 16 bits is what its bits say, for all of them: read back from the value, the bits are the same.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		x := float64(half([]byte{byte(bits), byte(bits >> 8)}))
		exponent := bits >> 10 & 0x1f
		if exponent == 0x1f {
			if !math.IsNaN(x) && !math.IsInf(x, 1-2*(bits>>15)) {
				t.Fatalf("%04x is %v", bits, x)
			}
			continue
		}
		step := math.Ldexp(1, max(exponent, 1)-25)
		fraction := math.Abs(x) / step
		if exponent > 0 {
			fraction -= 1024
		}
		if fraction != float64(bits&0x3ff) || math.Signbit(x) != (bits>>15 == 1) {
			t.Fatalf("%04x is %v", bits, x)
		}
	}
}

// TestDecimal: digits and scale are those of the number, whatever holds it.
func TestDecimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, scale := rapid.Int64().Draw(t, "n"), rapid.IntRange(0, 30).Draw(t, "scale")
		wide := make([]byte, 16)
		binary.BigEndian.PutUint64(wide[8:], uint64(n))
		if n < 0 {
			binary.BigEndian.PutUint64(wide, math.MaxUint64)
		}
		want := new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		for _, v := range []parquet.Value{parquet.Int64Value(n), parquet.FixedLenByteArrayValue(wide)} {
			got, err := decimal(scale)(v)
			text := fmt.Sprint(got)
			if err != nil || !json.Valid([]byte(text)) || text != want.FloatString(scale) {
				t.Fatalf("%d of scale %d is %v, %v, want %s", n, scale, got, err, want.FloatString(scale))
			}
		}
	})
}

// TestNested: whatever nests, rows are read as the library's own reader of Go values has them.
func TestNested(t *testing.T) {
	type inner struct {
		Text  *string `parquet:"text,optional"`
		Times []int64 `parquet:"times,list"`
	}
	type row struct {
		Many  []inner          `parquet:"many,list"`
		Maybe *inner           `parquet:"maybe,optional"`
		Pairs map[string]int64 `parquet:"pairs"`
		Bare  []string         `parquet:"bare"`
	}
	text := rapid.OneOf(rapid.Just[*string](nil), rapid.Ptr(rapid.StringN(0, 4, -1), false))
	one := rapid.Custom(func(t *rapid.T) inner {
		return inner{text.Draw(t, "text"), rapid.SliceOfN(rapid.Int64(), 0, 3).Draw(t, "times")}
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			r := row{Many: rapid.SliceOfN(one, 0, 3).Draw(t, "many"), Pairs: rapid.MapOfN(rapid.StringN(1, 3, -1), rapid.Int64(), 0, 3).Draw(t, "pairs")}
			if rapid.Bool().Draw(t, "is there") {
				maybe := one.Draw(t, "maybe")
				r.Maybe = &maybe
			}
			r.Bare = rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 3).Draw(t, "bare")
			return r
		}), 1, 4).Draw(t, "rows")
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		err := Parquet("rows", bytes.NewReader(b.Bytes()), int64(b.Len()), func(n int, data []byte) error {
			var got, want any
			form := strings.NewReplacer(`"Text"`, `"text"`, `"Times"`, `"times"`, `"Many"`, `"many"`, `"Maybe"`, `"maybe"`, `"Pairs"`, `"pairs"`, `"Bare"`, `"bare"`)
			text, err := json.Marshal(rows[n-1])
			if err != nil {
				return err
			}
			if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal([]byte(form.Replace(string(text))), &want)); err != nil {
				return err
			}
			if !reflect.DeepEqual(full(got), full(want)) {
				return fmt.Errorf("read %s, want %s", data, text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// full is v with null in the place of empty lists and objects, which Go values do not tell apart.
func full(v any) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = full(v[i])
		}
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
		for key := range v {
			v[key] = full(v[key])
		}
	}
	return v
}

func TestEachErrors(t *testing.T) {
	data := written(t, premise{}, premise{})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"record fails", data, "set: row 2: no label"},
		{"cut short", data[:len(data)-9], "read set:"},
		{"lz4", compressed(t, &parquet.Lz4Raw, premise{}), "read set: it is compressed with lz4"},
		{"empty", nil, "read set:"},
		{"another file", []byte(strings.Repeat("PAR1", 9)), "read set:"},
	} {
		err := Parquet("set", bytes.NewReader(c.data), int64(len(c.data)), func(row int, _ []byte) error {
			if row == 2 {
				return errors.New("no label")
			}
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s…", c.name, err, c.want)
		}
	}
}

func FuzzParquet(f *testing.F) {
	data := written(f, premise{UID: "a", Votes: []string{"e"}}, premise{UID: "b"})
	f.Add(data)
	f.Add(data[:len(data)/2])
	for _, file := range []string{"arrow", "types", "empty", "nocolumns"} {
		data, err := os.ReadFile("testdata/" + file + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(ParquetMagic + ParquetMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		Parquet("fuzz", bytes.NewReader(data), int64(len(data)), func(row int, data []byte) error {
			if row > 1000 {
				return errors.New("enough")
			}
			if !json.Valid(data) {
				t.Fatalf("row %d: %q", row, data)
			}
			return nil
		})
	})
}

package safetensors

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// framed is a file with a header and no data.
func framed(header string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// TestBounds: what no checkpoint has is refused by its number, most of it before the header is read.
func TestBounds(t *testing.T) {
	many := func(key string, n int) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"%d":{"dtype":"F32","shape":[0],"%s":[0,0]}`, i, key)
		}
		b.WriteByte('}')
		return b.String()
	}
	for name, c := range map[string]struct{ header, want string }{
		"a million tensors":    {many("data_offsets", 1e6), "1000000 tensors are more than"},
		"written another way":  {many(`data_offset\u0073`, maxTensors+2), "more than the"},
		"a long name":          {`{"` + strings.Repeat("x", maxName+1) + `":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, "a name has"},
		"a hundred dimensions": {`{"a":{"dtype":"F32","shape":[` + strings.Repeat("1,", 99) + `0],"data_offsets":[0,0]}}`, "100 dimensions"},
	} {
		if _, err := Parse("f", framed(c.header)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %.200v, want %q", name, err, c.want)
		}
	}
	if _, err := Parse("f", framed(many("data_offsets", 1000))); err != nil {
		t.Errorf("a thousand tensors: %v", err)
	}
}

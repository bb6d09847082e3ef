package record

import "bytes"

// nothing are the words that Python writes for numbers that are none.
var nothing = []string{"-Infinity", "Infinity", "NaN"}

// withoutNaN writes null for NaN and the infinities, which JSON has not and Python writes all the same.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte
	inside := false // a text
scan:
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\' && i+1 < len(data):
			out = append(out, c, data[i+1])
			i++
			continue
		case c == '"':
			inside = !inside
		case !inside:
			for _, word := range nothing {
				if bytes.HasPrefix(data[i:], []byte(word)) {
					out, i = append(out, "null"...), i+len(word)-1
					continue scan
				}
			}
		}
		out = append(out, data[i])
	}
	return out
}

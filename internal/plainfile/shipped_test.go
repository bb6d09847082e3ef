package plainfile

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	f := Shipped{FS: fstest.MapFS{"those/a-b.yaml": {Data: []byte("x: 1\n")}, "those/a.yaml": {Data: []byte("y: 2\n")}, "others/c.yaml": {}}, Folder: "those"}
	if got := f.Names(); !slices.Equal(got, []string{"a", "a-b"}) {
		t.Errorf("names %q", got)
	}
	for name, want := range map[string]string{"a": "y: 2\n", "a-b": "x: 1\n", "c": "", "a.yaml": "", "../others/c": "", "": ""} {
		if text, ok := f.Text(name); string(text) != want || ok != (want != "") {
			t.Errorf("%q has the text %q, %v", name, text, ok)
		}
	}
}

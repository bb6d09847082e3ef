package hub

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzListing: whatever a server lists, every file that is chosen lies in the snapshot's folder, and has an address of its own.
func FuzzListing(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `{"sha":"` + commit + `","siblings":[{"rfilename":"config.json"},{"rfilename":"model.safetensors"},{"rfilename":"a/../b.gguf"}]}`,
		`{"sha":"` + commit + `","siblings":[{"rfilename":"train.parquet"},{"rfilename":"` + strings.Repeat("x/", 200) + `y.jsonl"}]}`,
		`{"sha":"../` + commit + `","siblings":[]}`, `{"sha":"` + commit + `","siblings":[{"rfilename":"x.gguf\u0000"},{"rfilename":"C:\\x.gguf"}]}`,
	} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, dataset bool) {
		p := &pull{Client: &Client{Endpoint: DefaultEndpoint, Cache: "cache"}, kind: models, name: "org/tiny", revision: "main"}
		if dataset {
			p.kind = datasets
		}
		var info listing
		if json.Unmarshal(data, &info) != nil {
			return
		}
		paths, err := p.take(info)
		if err != nil {
			return
		}
		if filepath.Dir(p.snapshot()) != filepath.Join("cache", filepath.Base(filepath.Dir(filepath.Dir(p.snapshot()))), "snapshots") {
			t.Errorf("the snapshot would be %s", p.snapshot())
		}
		for _, patterns := range [][]string{nil, {"*"}} {
			chosen, err := choose(p.kind, paths, patterns, false)
			if err != nil {
				continue
			}
			for _, name := range chosen {
				if at := filepath.Join(p.snapshot(), filepath.FromSlash(name)); !strings.HasPrefix(at, p.snapshot()+string(filepath.Separator)) {
					t.Errorf("%q would be %s", name, at)
				}
				if r, err := http.NewRequest(http.MethodGet, p.address(name), nil); err == nil && r.URL.Host != "huggingface.co" {
					t.Errorf("%q is asked for at %s", name, r.URL)
				}
			}
		}
	})
}

// FuzzDescribe: whatever the head of an answer says, a file has a checksum of hexadecimal digits and a size that can be added up.
func FuzzDescribe(f *testing.F) {
	f.Add(200, `"`+commit+`"`, "7", "", "")
	f.Add(302, `W/"x"`, "", commit, "99999999999999999999")
	f.Fuzz(func(t *testing.T, status int, etag, length, linkedTag, linkedSize string) {
		answer := &http.Response{StatusCode: status, Header: http.Header{}}
		for key, value := range map[string]string{"Etag": etag, "Content-Length": length, "X-Linked-Etag": linkedTag, "X-Linked-Size": linkedSize} {
			if value != "" {
				answer.Header.Set(key, value)
			}
		}
		d, err := describe("f", answer)
		if err == nil && (strings.Trim(d.Checksum, "0123456789abcdef") != "" || len(d.Checksum) < 40 || d.Bytes < 0 || d.Bytes > longestFile) {
			t.Errorf("%+v", d)
		}
	})
}

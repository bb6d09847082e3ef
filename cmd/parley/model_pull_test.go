package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/model/hub"
)

// serveModel is a hub with one model, me/tiny, whose files are those of a folder.
func serveModel(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	files := os.DirFS(dir)
	commit := strings.Repeat("c", 40)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/me/tiny/revision/main", func(w http.ResponseWriter, _ *http.Request) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		var list []map[string]string
		for _, e := range entries {
			list = append(list, map[string]string{"rfilename": e.Name()})
		}
		json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": list})
	})
	mux.HandleFunc("GET /me/tiny/resolve/"+commit+"/{file}", func(w http.ResponseWriter, r *http.Request) {
		data, err := os.ReadFile(filepath.Join(dir, r.PathValue("file")))
		if err != nil {
			t.Error(err)
		}
		sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
		w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.ServeFileFS(w, r, files, r.PathValue("file"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestModelPull pulls a model and scores with it by name.
func TestModelPull(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "")
	t.Setenv("HF_ENDPOINT", serveModel(t, filepath.Join(goldens, "models", "llama2")).URL)
	r := parley[hub.Result](t, "", "model", "pull", "me/tiny", "--json")[0]
	if len(r.Files) != 2 || r.Name != "me/tiny" || r.Revision != "main" {
		t.Errorf("%+v", r)
	}
	const line = `{"ids":[1,2,3]}`
	pulled, local := parley[scoring](t, line, "model", "score", "me/tiny"), parley[scoring](t, line, "model", "score", goldens+"/models/llama2")
	if *pulled[0].Logprobs[2] != *local[0].Logprobs[2] {
		t.Error("the pulled model is another one")
	}
}

// TestModelPullWithoutWeights pulls what describes a model: a plan needs no more, an engine on this machine does.
func TestModelPullWithoutWeights(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "")
	t.Setenv("HF_ENDPOINT", serveModel(t, filepath.Join("..", "..", "model", "shipped", "model")).URL)
	r := parley[hub.Result](t, "", "model", "pull", "me/tiny", "--no-weights", "--json")[0]
	var names []string
	for _, f := range r.Files {
		names = append(names, f.Path)
	}
	if got := strings.Join(names, " "); got != "config.json generation_config.json tokenizer.json tokenizer_config.json" {
		t.Errorf("pulled %s", got)
	}
	elsewhere := httptest.NewServer(http.NotFoundHandler()) // no server of the protocol: asking once is enough to know
	defer elsewhere.Close()
	fits := "--set sampling.temperature=1 --set eval.temperature=1"
	for args, want := range map[string]string{
		"--set engine.tinker.url=" + elsewhere.URL + " " + fits + " --dry-run": "",
		"--set engine.tinker.url=" + elsewhere.URL + " " + fits:                "ask which models the server has",
		"--set engine.torch.device=cpu":                                        "its weights are not here: get them with: parley model pull me/tiny",
		"":                                                                     "no weights",
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(strings.Fields("train magrpo-tiny --set model=me/tiny --out "+filepath.Join(t.TempDir(), "run")), strings.Fields(args)...), nil, &stdout, &stderr)
		if (code == 0) != (want == "") || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, %q, want %q", args, code, stderr.String(), want)
		}
	}
}

func TestModelPullMistakes(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "")
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	for _, c := range []struct {
		endpoint, args string
		code           int
		want           string
	}{
		{missing.URL, "me/tiny", cli.ExitFailed, "there is no such model"},
		{missing.URL, "../tiny", cli.ExitUsage, "no name of a model"},
		{missing.URL, "me/tiny --revision a..b", cli.ExitUsage, "no revision"},
		{missing.URL, base, cli.ExitUsage, "already"},
		{missing.URL, goldens, cli.ExitUsage, "already"},
		{"nowhere", "me/tiny", cli.ExitUsage, "HF_ENDPOINT"},
	} {
		t.Setenv("HF_ENDPOINT", c.endpoint)
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"model", "pull"}, strings.Fields(c.args)...), nil, &stdout, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.want) || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, want %d and %q", c.args, code, stderr.String(), c.code, c.want)
		}
	}
}

// TestDataPull pulls a data set and measures an untrained team on it by name.
func TestDataPull(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	t.Setenv("HF_TOKEN", "")
	commit := strings.Repeat("d", 40)
	const records = `{"question":"What is 1 + 1?","answer":"so\n#### 2"}` + "\n"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/datasets/me/sums/revision/main", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"sha":%q,"siblings":[{"rfilename":"README.md"},{"rfilename":"main/train.jsonl"},{"rfilename":"main/test.jsonl"}]}`, commit)
	})
	mux.HandleFunc("GET /datasets/me/sums/resolve/"+commit+"/main/{file}", func(w http.ResponseWriter, r *http.Request) {
		data := strings.ReplaceAll(records, "1 +", r.PathValue("file")[1:2]+" +")
		sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
		w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(data))
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	t.Setenv("HF_ENDPOINT", s.URL)
	r := parley[hub.Result](t, "", "data", "pull", "me/sums", "--json")[0]
	if len(r.Files) != 2 || r.Name != "me/sums" || filepath.Base(filepath.Dir(filepath.Dir(r.Path))) != "datasets--me--sums" {
		t.Errorf("%+v", r)
	}
	type report struct{ Problems int }
	got := parley[report](t, "", "eval", "debate-sums", "--json", "--set", "task.name=gsm8k", "--set", "task.path=me/sums", "--set", "eval.baselines=[]")
	if got[0].Problems != 1 {
		t.Errorf("%d held-out problems", got[0].Problems)
	}
}

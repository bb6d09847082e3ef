package viewer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"parley/runs"
	"parley/viewer/tables"
)

// episodeLines are the lines of the episodes of an update.
func episodeLines(t testing.TB, dir string, update int) (lines [][]byte) {
	t.Helper()
	if err := runs.ReadEpisodes(dir, update, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return lines
}

func writeEpisodes(t testing.TB, dir string, update int, lines [][]byte) {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	data := w.EncodeAll(append(bytes.Join(lines, []byte("\n")), '\n'), nil)
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(runs.EpisodeFile(update))), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

type through struct {
	Problem  struct{ ID, Question string }
	Damaged  []string
	Episodes []struct {
		Update, Index int
		Damaged       string
		Lines         []struct{ Text string }
	}
}

// TestDamagedEpisode: an episode that is damaged is named at its place, and costs no other one.
func TestDamagedEpisode(t *testing.T) {
	for what, damage := range map[string]func([]byte) []byte{
		"no JSON":                  func(line []byte) []byte { return line[:len(line)/2] },
		"a number that is a text":  func(line []byte) []byte { return bytes.Replace(line, []byte(`"turn":0`), []byte(`"turn":"0"`), 1) },
		"a node that does not fit": func(line []byte) []byte { return bytes.Replace(line, []byte(`"parent":-1`), []byte(`"parent":7`), 1) },
	} {
		t.Run(what, func(t *testing.T) {
			root := copied(t, "magrpo-tiny")
			dir := filepath.Join(root, "magrpo-tiny")
			lines := episodeLines(t, dir, 2) // the same problem twice, and the second time is damaged
			var e struct{ Problem struct{ ID string } }
			if err := json.Unmarshal(lines[0], &e); err != nil {
				t.Fatal(err)
			}
			problem := e.Problem.ID
			again := bytes.Replace(lines[0], []byte(`"index":0`), []byte(`"index":1`), 1)
			if lines[1] = damage(again); bytes.Equal(lines[1], again) {
				t.Fatal("nothing is damaged")
			}
			writeEpisodes(t, dir, 2, lines)
			s := serve(t, options(root))
			known := what != "no JSON"
			var p through
			get(t, s, "/api/runs/magrpo-tiny/problem?id="+problem, &p)
			said := p.Damaged
			for _, e := range p.Episodes {
				if (e.Damaged != "") != (e.Index == 1) || (len(e.Lines) > 0) != (e.Index != 1) {
					t.Errorf("update %d, episode %d: %d lines, damaged: %q", e.Update, e.Index, len(e.Lines), e.Damaged)
				}
				if e.Damaged != "" {
					said = append(said, e.Damaged)
				}
			}
			if n := len(p.Episodes); n != 1 && !known || n != 2 && known || len(said) == 0 || p.Problem.ID != problem || p.Problem.Question == "" {
				t.Errorf("the problem is %+v, said is %q", p, said)
			}
			var page episodeList
			get(t, s, "/api/runs/magrpo-tiny/episodes?from=2", &page)
			if len(page.Episodes) != 3 || page.Episodes[1].Index != 1 || page.Episodes[2].Index != 2 {
				t.Errorf("the list is %+v", page)
			}
			for index, status := range []int{http.StatusOK, http.StatusConflict, http.StatusOK} {
				if got, body := ask(t, s, http.MethodGet, fmt.Sprint("/api/runs/magrpo-tiny/episodes/2/", index), ""); got != status || got == http.StatusConflict && !strings.Contains(body, "line 2") {
					t.Errorf("episode %d: %d %.300s", index, got, body)
				}
			}
			for _, route := range []string{"/problems", "/distributions", "/episodes?q=a", "/episodes?reward_min=-9", "/episodes?limit=1"} {
				var any map[string]any
				get(t, s, "/api/runs/magrpo-tiny"+route, &any)
			}
		})
	}
}

// TestCountsBesideDamage: costs and queries go on behind an episode that is damaged, and say its file and line.
func TestCountsBesideDamage(t *testing.T) {
	root := copied(t, "magrpo-tiny")
	dir := filepath.Join(root, "magrpo-tiny")
	lines := episodeLines(t, dir, 2)
	lines[1] = lines[1][:len(lines[1])/2]
	writeEpisodes(t, dir, 2, lines)
	var c struct {
		Agents  []struct{ Answers float64 }
		Damaged []string
	}
	get(t, serve(t, options(root)), "/api/runs/magrpo-tiny/costs", &c)
	const where = "episodes/000002.jsonl.zst, line 2: "
	if len(c.Damaged) != 1 || !strings.HasPrefix(c.Damaged[0], where) || len(c.Agents) != 2 || c.Agents[0].Answers != 4 {
		t.Errorf("costs are %+v", c)
	}
	answer, err := tables.Query(t.Context(), dir, "select episode from episodes where update = 2", tables.Limits{Rows: 9, Time: time.Minute})
	if err != nil || len(answer.Rows) != 2 || len(answer.LeftOut) != 1 || !strings.HasPrefix(answer.LeftOut[0], where) {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
}

// TestTwoServers: what people write on pages of several servers over one folder all stays.
func TestTwoServers(t *testing.T) {
	const many = 8
	root := copied(t, "magrpo-tiny")
	for i := range many {
		if err := os.CopyFS(filepath.Join(root, fmt.Sprint("run-", i)), os.DirFS(filepath.Join(root, "magrpo-tiny"))); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i := range many {
		s := serve(t, options(root))
		all.Go(func() {
			if status, body := ask(t, s, http.MethodPut, fmt.Sprint("/api/runs/run-", i, "/note"), fmt.Sprintf(`{"note":"the note of %d"}`, i), "X-Parley", "1"); status != http.StatusOK {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	all.Wait()
	var list listed
	get(t, serve(t, options(root)), "/api/runs", &list)
	for _, r := range list.Runs {
		if n, ok := strings.CutPrefix(r.ID, "run-"); ok && r.Note != "the note of "+n {
			t.Errorf("%s has the note %q", r.ID, r.Note)
		}
	}
}

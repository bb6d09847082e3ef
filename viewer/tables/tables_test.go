package tables_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/train/passrate"
	"parley/viewer/tables"
	"parley/viewer/tokens"
)

const run = "../testdata/runs/magrpo-tiny"

func limits() tables.Limits { return tables.Limits{Rows: 10_000, Time: time.Minute} }

// TestQueries: what tables have, and what the words of a query mean.
func TestQueries(t *testing.T) {
	for query, want := range map[string]string{
		`select update, problems from updates`:                                                                                  `[{"update":1,"problems":3},{"update":2,"problems":3}]`,
		`select count(*) n from completions where update = 2`:                                                                   `[{"n":24}]`,
		`select count(*) n from completions where "update" > 1 and update <= 2`:                                                 `[{"n":24}]`,
		`select count(*) n from completions where update in (1, 2)`:                                                             `[{"n":48}]`,
		`select count(*) n from completions where update < 1.5`:                                                                 `[{"n":24}]`,
		`select count(*) n from completions where update > '1'`:                                                                 `[{"n":24}]`,
		`select count(*) n, 2 n from episodes join nodes using (update, episode)`:                                               `[{"n":6,"n_2":2}]`,
		`select 'update' a, "update" b -- update` + "\n" + `from updates limit 1`:                                               `[{"a":"update","b":1}]`,
		`select sum(length(text)) = (select sum(length(text)) from completions) whole from completions`:                         `[{"whole":1}]`,
		`select (select count(*) from tokens) = (select sum(tokens) from completions) whole`:                                    `[{"whole":1}]`,
		`select abs(avg(reward) - (select reward from updates where update = 1)) < 1e-9 same from completions where update = 1`: `[{"same":1}]`,
		`select null a, 1e999 b, 'x' || char(10) c`:                                                                             `[{"a":null,"b":null,"c":"x\n"}]`,
		`select name from completions where agent = 2 limit 1`:                                                                  `[{"name":"agent 2"}]`,
		`select 1 where 0`: `[]`,
		`select 1 a; -- and no more` + "\n" + ` /* nor here */ ;`: `[{"a":1}]`,
	} {
		answer, err := tables.Query(t.Context(), run, query, limits())
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got, err := json.Marshal(answer); err != nil || string(got) != want {
			t.Errorf("%s: %s %v, want %s", query, got, err, want)
		}
	}
}

// TestComputedTokens: what was computed of the tokens of an update stands beside what is recorded, as the run keeps it; of others there is nothing.
func TestComputedTokens(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	ask := func(query string) [][]any {
		t.Helper()
		answer, err := tables.Query(t.Context(), dir, query, limits())
		if err != nil {
			t.Fatal(err)
		}
		return answer.Rows
	}
	counts := `select count(*), count(before), count(entropy), count(reference), count(kl), count(after), count(ratio), count(clipped), count(advantage) from tokens where `
	recorded := ask(counts + `1`)[0]
	for _, n := range recorded[1:8] {
		if n != int64(0) {
			t.Fatalf("before anything was computed there are %v", recorded)
		}
	}
	o := tokens.Options{Dir: dir, Language: language.New(), Backend: native.Backend{}, Now: time.Now, Keep: passrate.KeepKnown}
	results, err := tokens.Compute(t.Context(), o, 1, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for query, computed := range map[string]bool{`"update" = 1 and episode in (0, 2)`: true, `"update" = 1 and episode = 1`: false, `"update" = 2`: false} {
		got := ask(counts + query)[0]
		for i, n := range got[1:8] {
			if n != map[bool]any{true: got[0], false: int64(0)}[computed] {
				t.Errorf("where %s: column %d has %v numbers of %v", query, i, n, got[0])
			}
		}
		if got[0] == int64(0) || got[8] != got[0] {
			t.Errorf("where %s: %v tokens, %v advantages", query, got[0], got[8])
		}
	}
	for _, a := range results[1].Answers {
		rows := ask(fmt.Sprintf(`select before, entropy, reference, kl, advantage, after, ratio, clipped from tokens
			where update = 1 and episode = 2 and node = %d and agent = %d and completion = %d order by position`, a.Node, a.Agent+1, a.Completion))
		if len(rows) != len(a.Entropy) {
			t.Fatalf("%d rows of %d tokens", len(rows), len(a.Entropy))
		}
		for i, row := range rows {
			clipped := int64(0)
			if len(a.Clipped) > 0 && a.Clipped[i] {
				clipped = 1
			}
			want := []any{float64(a.Derived.Policy[i]), a.Entropy[i], float64(a.Reference[i]), a.KL[i], a.Advantage[i], float64(a.After[i]), a.Ratio[i], clipped}
			if len(a.Clipped) == 0 {
				want[7] = nil
			}
			if !reflect.DeepEqual(row, want) {
				t.Errorf("token %d is %v, want %v", i, row, want)
			}
		}
	}
	// A run that went back wrote another answer there.
	rewritten := filepath.Join(dir, "episodes", "000001.jsonl.zst")
	other, err := os.ReadFile(filepath.Join(dir, "episodes", "000002.jsonl.zst"))
	if err == nil {
		err = os.WriteFile(rewritten, other, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if rows := ask(`select count(*), count(entropy) from tokens`); rows[0][0] == int64(0) || rows[0][1] != int64(0) {
		t.Errorf("of other answers there are %v", rows)
	}
}

// TestAdvantagesOfTokens: where a critic gives tokens their own advantages, there are none until they are computed.
func TestAdvantagesOfTokens(t *testing.T) {
	answer, err := tables.Query(t.Context(), "../testdata/runs/debate-sums", `select count(*) > 0, count(advantage) from tokens`, limits())
	if err != nil || !reflect.DeepEqual(answer.Rows, [][]any{{int64(1), int64(0)}}) {
		t.Errorf("%v %v", answer, err)
	}
}

// TestTextsOfTokens: the texts of tokens are what was written.
func TestTextsOfTokens(t *testing.T) {
	answer, err := tables.Query(t.Context(), run, `select c.text, group_concat(t.text, '') from completions c join tokens t using (update, episode, node, agent, completion)
		where update = 1 and c.stop = 'eos' group by episode, node, agent, completion`, limits())
	if err != nil || len(answer.Rows) == 0 {
		t.Fatalf("%v %v", answer, err)
	}
	for _, row := range answer.Rows {
		if text, pieces := row[0].(string), row[1].(string); !strings.HasPrefix(pieces, text) {
			t.Errorf("the tokens of %q are %q", text, pieces)
		}
	}
}

// TestOnlyReads: no query changes anything, here or elsewhere.
func TestOnlyReads(t *testing.T) {
	of, err := filepath.Abs(run)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, query := range []string{
		`delete from updates`, `insert into updates values (1)`, `update updates set reward = 1`, `create table x (a)`, `drop table updates`, `attach 'x.db' as x`,
		`vacuum into 'x.db'`, `pragma journal_mode = wal`, `begin`, `select 1; delete from updates`, `select 1; -- one` + "\n" + `select 2`, `select load_extension('x')`, `select nothing from updates`,
		``, `-- nothing`, `select`, `create virtual table x using updates`, `select writefile('x', 'y')`,
	} {
		_, err := tables.Query(t.Context(), of, query, limits())
		var wrong *tables.QueryError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

// TestLimits: time, rows and sizes end.
func TestLimits(t *testing.T) {
	_, err := tables.Query(t.Context(), run, `with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c`, tables.Limits{Rows: 1, Time: 100 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless query: %v", err)
	}
	if _, err := tables.Query(t.Context(), run, `select * from tokens`, tables.Limits{Rows: 3, Time: time.Minute}); err == nil || !strings.Contains(err.Error(), "more than 3 rows") {
		t.Errorf("many rows: %v", err)
	}
	var wrong *tables.QueryError
	if _, err := tables.Query(t.Context(), run, `select length(randomblob(1000000000))`, limits()); !errors.As(err, &wrong) {
		t.Errorf("a value of a gigabyte: %v", err)
	}
	if _, err := tables.Query(t.Context(), run, `select zeroblob(60000000) from tokens`, limits()); err == nil || !strings.Contains(err.Error(), "MiB of text") {
		t.Errorf("an answer of gigabytes: %v", err)
	}
}

// TestDamage: of a file of episodes that is cut the answer has what is before the cut, and says so; one of numbers with a line that is cut is an
// error. A line that is being written is none.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "episodes", "000002.jsonl.zst")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err := tables.Query(t.Context(), dir, `select count(*) from completions a join episodes using (update, episode)`, limits())
	if err != nil || len(answer.LeftOut) != 1 || !strings.HasPrefix(answer.LeftOut[0], "episodes/000002.jsonl.zst, behind line ") {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
	answer, err = tables.Query(t.Context(), dir, `select count(*) from completions where update = 1`, limits())
	if err != nil || len(answer.LeftOut) != 0 {
		t.Errorf("of the update that is whole: %+v, %v", answer, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tokens.jsonl"), []byte("no result\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err = tables.Query(t.Context(), dir, `select count(ratio) from tokens where update = 1`, limits())
	if err != nil || !slices.Equal(answer.LeftOut, []string{"tokens.jsonl:1"}) {
		t.Errorf("beside a damaged result about tokens: %+v, %v", answer, err)
	}
	metrics := `{"update":1,"reward":1}` + "\n" + `{"update":2,"rew`
	for more, whole := range map[string]bool{"": true, "\n": false, "\n" + `{"update":3,"reward":1}` + "\n": false} {
		if err := os.WriteFile(filepath.Join(dir, "metrics.jsonl"), []byte(metrics+more), 0o644); err != nil {
			t.Fatal(err)
		}
		answer, err := tables.Query(t.Context(), dir, `select reward from updates`, limits())
		if (err == nil) != whole || whole && len(answer.Rows) != 1 {
			t.Errorf("%q behind half of a line: %v %v", more, answer, err)
		}
		if _, err := tables.Query(t.Context(), dir, `select count(*) from completions where update = 1`, limits()); err != nil {
			t.Errorf("answers beside damaged numbers: %v", err)
		}
	}
}

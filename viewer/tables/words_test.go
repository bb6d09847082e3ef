package tables

import (
	"strings"
	"testing"
)

// FuzzColumnsQuoted: a query keeps its pieces, but for the word in quotes, and what was changed does not change again.
func FuzzColumnsQuoted(f *testing.F) {
	for _, query := range []string{`select update from updates`, `select 'update''s update', "update" /* update */ -- update`, "[update] `update` Update", `'`, `/*`, "update_1 aupdate 1update", "é update", `"a"update"b"`} {
		f.Add(query)
	}
	plain := strings.NewReplacer(`"`, "", " ", "")
	f.Fuzz(func(t *testing.T, query string) {
		quoted := columnsQuoted(query)
		if !strings.EqualFold(plain.Replace(quoted), plain.Replace(query)) {
			t.Errorf("%q became %q", query, quoted)
		}
		if again := columnsQuoted(quoted); again != quoted {
			t.Errorf("%q became %q", quoted, again)
		}
	})
}

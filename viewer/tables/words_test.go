package tables

import (
	"strings"
	"testing"
)

// FuzzColumnsQuoted: only words change, each into itself in quotes, and what was changed does not change again.
func FuzzColumnsQuoted(f *testing.F) {
	for _, query := range []string{`select update from updates`, `select 'update''s update', "update" /* update */ -- update`, "[update] `update` Update", `'`, `/*`, "update_1 aupdate 1update", "é update"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		quoted := columnsQuoted(query)
		if strings.ReplaceAll(strings.ToLower(quoted), `"update"`, "update") != strings.ReplaceAll(strings.ToLower(query), `"update"`, "update") {
			t.Errorf("%q became %q", query, quoted)
		}
		if again := columnsQuoted(quoted); again != quoted {
			t.Errorf("%q became %q", quoted, again)
		}
	})
}

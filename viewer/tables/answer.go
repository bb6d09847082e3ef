package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// An Answer is the rows of a query.
type Answer struct {
	Columns []string
	Rows    [][]any // nil, int64, float64 or string
	// LeftOut are the damaged episodes, and results about tokens, that the query came to, by file and line: the rows have nothing of them.
	LeftOut []string
}

// MarshalJSON writes an array of rows as objects, columns in their order. A name that several columns have gets numbers: n, n_2.
func (a *Answer) MarshalJSON() ([]byte, error) {
	names := make([][]byte, len(a.Columns))
	seen := map[string]int{}
	for i, name := range a.Columns {
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		names[i] = quoted
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range a.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for k, v := range row {
			if k > 0 {
				b.WriteByte(',')
			}
			data, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			b.Write(names[k])
			b.WriteByte(':')
			b.Write(data)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// ask runs one query.
func ask(db *sqlite3.Conn, query string, most int) (*Answer, error) {
	stmt, tail, err := db.Prepare(query)
	if err != nil {
		return nil, wrong(err)
	}
	defer stmt.Close()
	if stmt == nil {
		return nil, &QueryError{"the query is empty; the tables are updates, episodes, nodes, completions, tokens and answers"}
	}
	if !silent(tail) {
		return nil, &QueryError{"there is more behind the query; ask one thing at a time"}
	}
	answer := &Answer{Rows: [][]any{}}
	for i := range stmt.ColumnCount() {
		answer.Columns = append(answer.Columns, asWritten(stmt.ColumnName(i)))
	}
	size := 0
	for stmt.Step() {
		if len(answer.Rows) == most {
			return nil, fmt.Errorf("the answer has more than %d rows: add LIMIT to the query, or allow more", most)
		}
		row := make([]any, len(answer.Columns))
		for i := range row {
			row[i] = value(stmt, i)
			if text, ok := row[i].(string); ok {
				size += len(text)
			}
		}
		if size > mostAnswer {
			return nil, fmt.Errorf("the answer has more than %d MiB of text: ask for fewer rows, or for parts of texts (substr)", mostAnswer>>20)
		}
		answer.Rows = append(answer.Rows, row)
	}
	return answer, wrong(stmt.Err())
}

// silent says whether nothing is asked there: spaces, semicolons and comments.
func silent(query string) bool {
	for i := 0; i < len(query); {
		n := piece(query[i:])
		if text := query[i : i+n]; !strings.Contains("; \t\r\n", text) && !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "/*") {
			return false
		}
		i += n
	}
	return true
}

func value(stmt *sqlite3.Stmt, i int) any {
	switch stmt.ColumnType(i) {
	case sqlite3.INTEGER:
		return stmt.ColumnInt64(i)
	case sqlite3.FLOAT:
		if x := stmt.ColumnFloat(i); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
		return nil
	case sqlite3.TEXT, sqlite3.BLOB:
		return strings.ToValidUTF8(stmt.ColumnText(i), "�")
	case sqlite3.NULL:
	}
	return nil
}

// wrong says whether an error is the query's own.
func wrong(err error) error {
	var e *sqlite3.Error
	switch {
	case errors.Is(err, sqlite3.AUTH):
		return &QueryError{"a query may only read: SELECT, or WITH … SELECT"}
	case errors.Is(err, sqlite3.TOOBIG):
		return &QueryError{fmt.Sprintf("the query makes a text of more than %d MiB", longestValue>>20)}
	case !errors.As(err, &e):
		return err
	}
	switch e.Code() { //nolint:exhaustive // all else went wrong in the work
	case sqlite3.ERROR, sqlite3.MISUSE, sqlite3.RANGE, sqlite3.MISMATCH:
		why := strings.TrimPrefix(e.Error(), "sqlite3: ")
		return &QueryError{advised(strings.TrimPrefix(why, "SQL logic error: "))}
	}
	return err
}

// advised says what to write instead, behind what SQLite says of a column.
func advised(why string) string {
	if column, ok := strings.CutPrefix(why, "ambiguous column name: "); ok {
		return fmt.Sprintf("%s; write the table before it, as in TABLE.%s", why, column)
	}
	if strings.HasPrefix(why, "no such column: ") {
		return why + "; `select * from TABLE limit 1` shows the columns of a table"
	}
	return why
}

package tables

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// A table of a run. Its first column is the update.
type table struct {
	name    string
	columns []string // with their types, as SQL declares them
	// scan reads the rows of the updates in a range, in order.
	scan func(from, to int) iter.Seq2[[]any, error]
}

// register makes the table one of the database.
func (t *table) register(db *sqlite3.Conn) error {
	//nolint:staticcheck // the method that is to take its place needs Go 1.27
	return sqlite3.CreateModule(db, t.name, nil, func(db *sqlite3.Conn, _, _, _ string, _ ...string) (*table, error) {
		return t, db.DeclareVTab("CREATE TABLE x(" + strings.Join(t.columns, ", ") + ")")
	})
}

// comparisons are those of the update that narrow what is read.
const (
	equal   = '='
	atLeast = 'g'
	atMost  = 'l'
)

// BestIndex implements [sqlite3.VTab]: a query that says which updates it wants reads those only. SQLite checks every row again.
func (t *table) BestIndex(index *sqlite3.IndexInfo) error {
	var ops strings.Builder
	index.EstimatedCost = 1e6
	for i, c := range index.Constraint {
		if c.Column != 0 || !c.Usable {
			continue
		}
		switch c.Op { //nolint:exhaustive // others do not narrow
		case sqlite3.INDEX_CONSTRAINT_EQ:
			ops.WriteByte(equal)
			index.EstimatedCost = 1e3
		case sqlite3.INDEX_CONSTRAINT_GT, sqlite3.INDEX_CONSTRAINT_GE:
			ops.WriteByte(atLeast)
		case sqlite3.INDEX_CONSTRAINT_LT, sqlite3.INDEX_CONSTRAINT_LE:
			ops.WriteByte(atMost)
		default:
			continue
		}
		index.ConstraintUsage[i].ArgvIndex = ops.Len()
	}
	index.IdxStr = ops.String()
	return nil
}

// Open implements [sqlite3.VTab].
func (t *table) Open() (sqlite3.VTabCursor, error) { return &cursor{table: t}, nil }

// A cursor is somewhere in a table.
type cursor struct {
	table *table
	next  func() ([]any, error, bool)
	stop  func()
	row   []any
	end   bool
	n     int64
}

// Filter implements [sqlite3.VTabCursor].
func (c *cursor) Filter(_ int, ops string, args ...sqlite3.Value) error {
	from, to := 0, math.MaxInt32
	for i, op := range []byte(ops) {
		x := args[i].Float()
		if kind := args[i].NumericType(); kind != sqlite3.INTEGER && kind != sqlite3.FLOAT || math.IsNaN(x) {
			continue // SQLite says how it compares with that
		}
		low, high := int(min(max(math.Floor(x), 0), math.MaxInt32)), int(min(max(math.Ceil(x), -1), math.MaxInt32))
		if op != atMost {
			from = max(from, low)
		}
		if op != atLeast {
			to = min(to, high)
		}
	}
	c.stopped()
	c.next, c.stop = iter.Pull2(c.table.scan(from, to))
	c.end, c.n = false, 0
	return c.Next()
}

// Next implements [sqlite3.VTabCursor].
func (c *cursor) Next() error {
	row, err, ok := c.next()
	c.row, c.end = row, !ok
	c.n++
	return err
}

// EOF implements [sqlite3.VTabCursor].
func (c *cursor) EOF() bool { return c.end }

// RowID implements [sqlite3.VTabCursor].
func (c *cursor) RowID() (int64, error) { return c.n, nil }

// Column implements [sqlite3.VTabCursor].
func (c *cursor) Column(ctx sqlite3.Context, n int) error {
	if n >= len(c.row) {
		ctx.ResultNull()
		return nil
	}
	switch v := c.row[n].(type) {
	case nil:
		ctx.ResultNull()
	case int:
		ctx.ResultInt(v)
	case float64:
		ctx.ResultFloat(v)
	case bool:
		ctx.ResultBool(v)
	case string:
		ctx.ResultText(v)
	default:
		return fmt.Errorf("internal error: a value of %T", v)
	}
	return nil
}

// Close gives the file back that is read.
func (c *cursor) Close() error {
	c.stopped()
	return nil
}

func (c *cursor) stopped() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}

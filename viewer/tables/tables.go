// Package tables answers questions about a run in SQL: `parley run query`.
//
//	tables.go   a database whose tables are read from the run while they are asked for
//	virtual.go  how such a table is read
//	run.go      what the tables have: updates, episodes, nodes, completions
//	tokens.go   what the table of tokens has
//	heldout.go  what the table of answers to held-out problems has
//	training.go what training recorded of each agent; standing.go counts who was right and read
//	words.go    words of SQL that are names of columns here
//	answer.go   the rows of an answer
//
// Nothing is copied into the database. A table reads the file of an update when the query comes to it, and only those of the updates that the
// query asks for, so that questions about large runs need little memory.
//
// The engine is SQLite, translated to Go (github.com/ncruces/go-sqlite3), with an empty database in memory. It may only read: what a query
// may do is decided by its authorizer, not by its words.
package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Limits bound what a query may take.
type Limits struct {
	Rows int           // of the answer
	Time time.Duration // of the work
}

// A QueryError says what is wrong with a query.
type QueryError struct{ Why string }

func (e *QueryError) Error() string { return e.Why }

// Bounds on what a hostile query can make the engine hold.
const (
	longestValue = 64 << 20 // bytes of a text
	longestQuery = 1 << 20
	mostAnswer   = 256 << 20 // bytes of an answer's texts
)

// Query answers a question about the run in dir.
func Query(ctx context.Context, dir, query string, l Limits) (*Answer, error) {
	if len(query) > longestQuery {
		return nil, &QueryError{fmt.Sprintf("the query has %d bytes, expected at most %d", len(query), longestQuery)}
	}
	left := &leftOut{}
	db, err := open(dir, left)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	within, enough := context.WithTimeout(ctx, l.Time)
	defer enough()
	db.SetInterrupt(within)
	answer, err := ask(db, columnsQuoted(query), l.Rows)
	switch {
	case err == nil:
		answer.LeftOut = left.said
		return answer, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fmt.Errorf("the query took longer than %v: ask for fewer updates, or give it more time", l.Time)
	}
	return nil, err
}

// open makes the tables of a run.
func open(dir string, left *leftOut) (*sqlite3.Conn, error) {
	db, err := sqlite3.OpenFlags(":memory:", sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE|sqlite3.OPEN_MEMORY)
	if err != nil {
		return nil, fmt.Errorf("open the query engine: %w", err)
	}
	db.Limit(sqlite3.LIMIT_LENGTH, longestValue)
	all, err := of(dir, left)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	for _, t := range all {
		if err := t.register(db); err != nil {
			return nil, errors.Join(fmt.Errorf("open table %s: %w", t.name, err), db.Close())
		}
	}
	if err := db.SetAuthorizer(allow); err != nil {
		return nil, errors.Join(fmt.Errorf("open the query engine: %w", err), db.Close())
	}
	return db, nil
}

// allow says what a query may do: read and compute.
func allow(action sqlite3.AuthorizerActionCode, _, _, _, _ string) sqlite3.AuthorizerReturnCode {
	switch action { //nolint:exhaustive // all else is refused
	case sqlite3.AUTH_SELECT, sqlite3.AUTH_READ, sqlite3.AUTH_FUNCTION, sqlite3.AUTH_RECURSIVE:
		return sqlite3.AUTH_OK
	}
	return sqlite3.AUTH_DENY
}

package tables

import "strings"

// columnsQuoted puts the word update in quotes where it stands by itself: it is a word of SQL, and a column of all tables. Queries only read,
// so that it never means to change something. Texts, quoted names and comments stay as they are.
func columnsQuoted(query string) string {
	var out strings.Builder
	for i := 0; i < len(query); {
		n := piece(query[i:])
		text := query[i : i+n]
		if strings.EqualFold(text, "update") {
			text = quotedUpdate
		}
		out.WriteString(text)
		i += n
	}
	return out.String()
}

// quotedUpdate stands apart from a quote beside it, which would double this one.
const quotedUpdate = ` "update" `

// asWritten is the name of a column that has none but its expression, as the query had it.
func asWritten(column string) string { return strings.ReplaceAll(column, quotedUpdate, "update") }

// piece is how many bytes the first piece of a query has: a word, something in quotes, a comment, or one other byte.
func piece(query string) int {
	switch c := query[0]; {
	case letter(c), c >= '0' && c <= '9':
		n := 1
		for n < len(query) && (letter(query[n]) || query[n] >= '0' && query[n] <= '9') {
			n++
		}
		return n
	case c == '\'' || c == '"' || c == '`':
		return through(query, 1, string(c))
	case c == '[':
		return through(query, 1, "]")
	case strings.HasPrefix(query, "--"):
		return through(query, 2, "\n")
	case strings.HasPrefix(query, "/*"):
		return through(query, 2, "*/")
	}
	return 1
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// through is where an end behind a beginning ends, or the query does. A doubled quote is two texts side by side, which is the same here.
func through(query string, from int, end string) int {
	if i := strings.Index(query[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(query)
}

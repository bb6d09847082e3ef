package travel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"parley/task/dataset"
)

// A row is one of a table, by the names of its columns.
type row map[string]string

// A table is what a row of the data set knows of one matter: rows, or a sentence.
type table struct {
	about string // such as Restaurants in Rome
	rows  []row
	text  string
}

// columns are those of each kind of table that has rows, in the order of the database.
var columns = map[string][]string{
	"Attractions":    {"Name", "Latitude", "Longitude", "Address", "Phone", "Website", "City"},
	"Restaurants":    {"Name", "Average Cost", "Cuisines", "Aggregate Rating", "City"},
	"Accommodations": {"NAME", "price", "room type", "house_rules", "minimum nights", "maximum occupancy", "review rate number", "city"},
	"Flight":         {"Flight Number", "Price", "DepTime", "ArrTime", "ActualElapsedTime", "FlightDate", "OriginCityName", "DestCityName", "Distance"},
}

// shown are the columns that prompts show: those that something is checked by, and when flights leave.
var shown = map[string][]string{
	"Attractions":    {"Name"},
	"Restaurants":    {"Name", "Average Cost", "Cuisines"},
	"Accommodations": {"NAME", "price", "room type", "house_rules", "minimum nights", "maximum occupancy"},
	"Flight":         {"Flight Number", "Price", "DepTime", "ArrTime"},
}

// kind is the first word of what a table is about.
func (t table) kind() string {
	word, _, _ := strings.Cut(t.about, " ")
	return word
}

// String is the table as prompts show it: a line with what it is about and its columns, then one for each row.
func (t table) String() string {
	if t.text != "" {
		return t.about + ": " + t.text
	}
	lines := t.about + ": " + strings.Join(shown[t.kind()], "; ")
	for _, r := range t.rows {
		var cells []string
		for _, column := range shown[t.kind()] {
			cells = append(cells, r[column])
		}
		lines += "\n" + strings.Join(cells, "; ")
	}
	return lines
}

// tablesOf reads tables: an object by what they are about, as the benchmark's repository has it, or a list of objects with Description and Content, as the data
// set has it. Either may be written as a text.
func tablesOf(value json.RawMessage) (all []table, err error) {
	if value, err = unquoted(value); err != nil {
		return nil, err
	}
	var list []struct {
		Description string
		Content     json.RawMessage
	}
	if json.Unmarshal(value, &list) == nil {
		for _, s := range list {
			all = append(all, table{about: s.Description})
			err = cmp.Or(err, all[len(all)-1].read(s.Content))
		}
		return all, err
	}
	r, err := dataset.ParseRecord(value)
	if err != nil {
		return nil, errors.New(`write an object of tables, {"Restaurants in Rome": [{"Name": …}], …}, or the list of the data set`)
	}
	for _, about := range r.Keys() {
		all = append(all, table{about: about})
		err = cmp.Or(err, all[len(all)-1].read(r.Value(about)))
	}
	return all, err
}

// read reads the content of a table: rows, a text with rows, or a sentence.
func (t *table) read(content json.RawMessage) (err error) {
	if json.Unmarshal(content, &t.text) == nil {
		if head, rows, many := strings.Cut(t.text, "\n"); many && columns[t.kind()] != nil {
			t.text = ""
			err = t.align([]rune(head), strings.Split(strings.TrimRight(rows, "\n"), "\n"))
		}
	} else {
		var list []json.RawMessage
		if err = json.Unmarshal(content, &list); err != nil || columns[t.kind()] == nil {
			err = fmt.Errorf("write a sentence, or a list of rows of Attractions, Restaurants, Accommodations or Flight, not %.40s", content)
		}
		for i, one := range list {
			r, wrong := dataset.ParseRecord(one)
			if wrong != nil {
				err = cmp.Or(err, fmt.Errorf("row %d: %w", i+1, wrong))
			}
			t.rows = append(t.rows, cellsOf(r))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.about, err)
	}
	return nil
}

// cellsOf are the texts of a record.
func cellsOf(r dataset.Record) row {
	cells := row{}
	for _, column := range r.Keys() {
		cells[column] = r.Plain(column)
	}
	return cells
}

// numbered is the beginning of a line whose first cell is the number of the row.
var numbered = regexp.MustCompile(`^[0-9]+ {2,}`)

// align reads rows whose cells end where the name of their column ends, as pandas writes tables. Where every row begins with its number, that is no part of
// its first cell.
func (t *table) align(head []rune, lines []string) error {
	names, number := columns[t.kind()], true
	for _, line := range lines {
		number = number && numbered.MatchString(line)
		t.rows = append(t.rows, row{})
	}
	begin := 0
	for j, name := range names {
		at := strings.Index(string(head[begin:]), name)
		if at < 0 {
			return fmt.Errorf("there is no column %s in %q", name, string(head))
		}
		end := begin + len([]rune(string(head[begin:])[:at])) + len(name)
		for i, line := range lines {
			characters := []rune(line)
			if len(characters) < end && j < len(names)-1 {
				return fmt.Errorf("row %d is shorter than its columns: %q", i+1, line)
			}
			cell := string(characters[min(begin, len(characters)):min(end, len(characters))])
			if j == 0 && number {
				cell = numbered.ReplaceAllString(cell, "")
			}
			t.rows[i][name] = strings.TrimSpace(cell)
		}
		begin = end
	}
	return nil
}

// What a literal of Python is made of, and what is written in another way in its texts.
var (
	tokens  = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z]+`)
	escapes = regexp.MustCompile(`(?s)\\x|\\.|"`)
	written = map[string]string{"None": "null", "nan": "null", "True": "true", "False": "false", `\'`: `'`, `"`: `\"`, `\x`: `\u00`}
)

// unquoted is a value, or, where it is a text, the value that the text is in JSON or in Python: the data set has lists and dicts as texts.
func unquoted(value json.RawMessage) (json.RawMessage, error) {
	var text string
	if len(value) == 0 || json.Unmarshal(value, &text) != nil {
		return value, nil
	}
	if text != "" && !json.Valid([]byte(text)) {
		text = tokens.ReplaceAllStringFunc(text, func(token string) string {
			if token[0] != '\'' && token[0] != '"' {
				return cmp.Or(written[token], token)
			}
			said, err := strconv.Unquote(`"` + escapes.ReplaceAllStringFunc(token[1:len(token)-1], func(e string) string { return cmp.Or(written[e], e) }) + `"`)
			data, wrong := json.Marshal(said)
			if err != nil || wrong != nil {
				return "?" // no JSON has it
			}
			return string(data)
		})
		if !json.Valid([]byte(text)) {
			return nil, fmt.Errorf("%.60s is no list and no dict of Python, and no JSON", value)
		}
	}
	return json.RawMessage(text), nil
}

// A reader reads cells of a row, up to the first that cannot be read.
type reader struct {
	row
	err error
}

// text is a cell that must be there.
func (r *reader) text(column string) string {
	text := strings.TrimSpace(r.row[column])
	if text == "" {
		r.err = cmp.Or(r.err, fmt.Errorf("there is no %s", column))
	}
	return text
}

// number is a cell that must be a number.
func (r *reader) number(column string) float64 {
	text := r.text(column)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.err = cmp.Or(r.err, fmt.Errorf("%s is %.40q: write a number", column, text))
	}
	return x
}

// whole is a cell that must be a whole number, 1 at least.
func (r *reader) whole(column string) int {
	x := r.number(column)
	if x != float64(int(x)) || x < 1 || x > 100 {
		r.err = cmp.Or(r.err, fmt.Errorf("%s is %g: write a whole number from 1 to 100", column, x))
	}
	return int(x)
}

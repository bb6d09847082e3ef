package travel

import (
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
	about string // such as Restaurants in Rockford
	rows  []row
	text  string
}

// columns are those of each kind of table that has rows, by the first word of what it is about, in the order of the database.
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
	lines := []string{t.about + ": " + strings.Join(shown[t.kind()], "; ")}
	for _, r := range t.rows {
		var cells []string
		for _, column := range shown[t.kind()] {
			cells = append(cells, r[column])
		}
		lines = append(lines, strings.Join(cells, "; "))
	}
	return strings.Join(lines, "\n")
}

// tablesOf reads the tables of a value: an object by what they are about, as database/*_ref_info.jsonl has it, or a list of objects with
// Description and Content, as the data set itself has it. Either may be written as a text, in JSON or as Python does.
func tablesOf(value json.RawMessage) (all []table, err error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		if value, err = literal(text); err != nil {
			return nil, err
		}
	}
	type section struct {
		Description string
		Content     json.RawMessage
	}
	var list []section
	if json.Unmarshal(value, &list) != nil {
		r, err := dataset.ParseRecord(value)
		if err != nil {
			return nil, errors.New(`write an object of tables, {"Restaurants in Rome": [{"Name": …}], …}, or the list of the data set`)
		}
		for _, about := range r.Keys() {
			list = append(list, section{about, r.Value(about)})
		}
	}
	for _, s := range list {
		t, err := read(s.Description, s.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Description, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// read reads the content of a table: rows, a text with rows, or a sentence.
func read(about string, content json.RawMessage) (t table, err error) {
	t.about = about
	if json.Unmarshal(content, &t.text) == nil {
		if head, _, many := strings.Cut(t.text, "\n"); many && columns[t.kind()] != nil {
			t.rows, err = aligned(head, t.text[len(head)+1:], columns[t.kind()])
			t.text = ""
		}
		return t, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(content, &list); err != nil || columns[t.kind()] == nil {
		return t, fmt.Errorf("write a list of rows, or a sentence: %.40s is none; rows are of Attractions, Restaurants, Accommodations and Flight", content)
	}
	for i, one := range list {
		r, err := dataset.ParseRecord(one)
		if err != nil {
			return t, fmt.Errorf("row %d: %w", i+1, err)
		}
		cells := row{}
		for _, column := range r.Keys() {
			cells[column] = r.Plain(column)
		}
		t.rows = append(t.rows, cells)
	}
	return t, nil
}

// rowNumber is the beginning of a line whose first cell is the number of the row.
var rowNumber = regexp.MustCompile(`^[0-9]+ {2,}`)

// aligned reads rows whose cells end where the name of their column ends, as pandas writes tables. Where every row begins with its number, that is no
// part of its first cell.
func aligned(head, text string, names []string) (rows []row, err error) {
	var ends []int // in characters
	from := 0
	for _, name := range names {
		at := strings.Index(head[from:], name)
		if at < 0 {
			return nil, fmt.Errorf("there is no column %s in %q", name, head)
		}
		from += at + len(name)
		ends = append(ends, len([]rune(head[:from])))
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	number := true
	for _, line := range lines {
		number = number && rowNumber.MatchString(line)
	}
	for i, line := range lines {
		characters, begin, cells := []rune(line), 0, row{}
		if len(characters) < ends[len(ends)-2] {
			return nil, fmt.Errorf("row %d is shorter than its columns: %q", i+1, line)
		}
		for j, name := range names {
			end := ends[j]
			if j == len(names)-1 {
				end = len(characters)
			}
			cell := string(characters[begin:end])
			if j == 0 && number {
				cell = rowNumber.ReplaceAllString(cell, "")
			}
			cells[name], begin = strings.TrimSpace(cell), end
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// A reader reads cells of a row, up to the first that cannot be read.
type reader struct {
	row
	err error
}

// text is a cell that must be there.
func (r *reader) text(column string) string {
	text := strings.TrimSpace(r.row[column])
	if text == "" && r.err == nil {
		r.err = fmt.Errorf("there is no %s", column)
	}
	return text
}

// number is a cell that must be a number.
func (r *reader) number(column string) float64 {
	text := r.text(column)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s is %.40q: write a number", column, text)
	}
	return x
}

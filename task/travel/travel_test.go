package travel

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/task"
	"parley/task/dataset"
	"parley/task/tasktest"
)

// aligns writes rows as pandas does: cells end where the names of their columns end; where numbers are given, they begin the rows.
func aligns(kind string, numbers []string, rows ...[]string) string {
	lines := make([]string, len(rows)+1)
	for i := range lines {
		if numbers != nil {
			lines[i] = fmt.Sprintf("%-4s ", append([]string{""}, numbers...)[i])
		}
	}
	for j, name := range columns[kind] {
		width := len([]rune(name))
		for _, r := range rows {
			width = max(width, len([]rune(r[j])))
		}
		for i := range lines {
			cell := name
			if i > 0 {
				cell = rows[i-1][j]
			}
			lines[i] += strings.Repeat(" ", min(j, 1)+width-len([]rune(cell))) + cell
		}
	}
	return strings.Join(lines, `\n`)
}

// sentences are the tables of a trip to Rome as cells of the data set have them: a list of Python with texts as pandas writes tables.
var sentences = `[{'Description': 'Attractions in Rome', 'Content': '` + aligns("Attractions", nil, []string{"Colosseum", "41.9", "12.5", "Rome, I.", "123", "www", "Rome"}, []string{"1 Forum", "41.8", "12.4", "Rome, I.", "123", "www", "Rome"}) + `'}, ` +
	`{'Description': 'Restaurants in Rome', 'Content': "` + aligns("Restaurants", []string{"9", "12", "13", "1400"}, []string{"L'Osteria, Uno", "20", "Italian, Cafe", "4.5", "Rome"}, []string{"7 Più", "30", "Chinese", "4.0", "Rome"},
	[]string{"Tre", "40", "French", "3.9", "Rome"}, []string{"Quattro", "50", "French", "3.9", "Rome"}) + `"}, ` +
	`{'Description': 'Accommodations in Rome', 'Content': '` + aligns("Accommodations", nil, []string{"Attico", "100.0", "Entire home/apt", "No smoking & No pets", "2.0", "2", "4.0", "Rome"}, []string{"Letto", "20.0", "Shared room", "", "2.0", "1", "4.0", "Rome"}) + `'}, ` +
	`{'Description': 'Flight from Bern to Rome on 2022-03-16', 'Content': '` + aligns("Flight", nil, []string{"F0000001", "90", "15:40", "17:04", "1 hours 24 minutes", "2022-03-16", "Bern", "Rome", "600.0"}) + `'}, ` +
	`{'Description': 'Self-driving from Bern to Rome', 'Content': 'self-driving, from Bern to Rome, duration: 9 hours, distance: 1,009 km, cost: 50'}, {'Description': 'Taxi from Bern to Rome', 'Content': 'taxi, from Bern to Rome, duration: 9 hours, distance: 1,009 km, cost: 1009'}, ` +
	`{'Description': 'Flight from Rome to Bern on 2022-03-18', 'Content': 'There is no flight from Rome to Bern on 2022-03-18.'}, {'Description': 'Self-driving from Rome to Bern', 'Content': 'self-driving, from Rome to Bern, distance: 990 km, cost: 49'}, {'Description': 'Taxi from Rome to Bern', 'Content': 'No valid information.'}]`

// columns of the data set's files.
var header = []string{"org", "dest", "days", "visiting_city_number", "date", "people_number", "local_constraint", "budget", "query", "level", "reference_information"}

// cells are a row of those, with changes.
func cells(query string, change map[string]string) []string {
	row := []string{"Bern", "Rome", "3", "1", "['2022-03-16', '2022-03-17', '2022-03-18']", "2", "{'house rule': 'visitors', 'cuisine': ['Italian', 'Chinese'], 'room type': 'entire room', 'transportation': 'no flight'}", "900", query, "easy", sentences}
	for column, cell := range change {
		row[slices.Index(header, column)] = cell
	}
	return row
}

// record is a row as JSON.
func record(t *testing.T, change map[string]string) string {
	t.Helper()
	row := map[string]string{}
	for i, cell := range cells("Three days in Rome for two.", change) {
		row[header[i]] = cell
	}
	data, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// file writes a table of rows.
func file(t *testing.T, dir, name string, header []string, rows ...[]string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := csv.NewWriter(f).WriteAll(append([][]string{header}, rows...)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// pulled is the folder of the data set, as it is on the Hub: the test split lacks what is asked for in columns.
func pulled(t *testing.T) string {
	dir := t.TempDir()
	file(t, dir, "train.csv", header, cells("a", nil), cells("b", map[string]string{"level": "hard"}), cells("c", map[string]string{"days": "5"}))
	file(t, dir, "validation.csv", header, cells("d", nil), cells("e", map[string]string{"level": "medium", "days": "5"}))
	file(t, dir, "test.csv", []string{"org", "dest", "days", "date", "query", "level", "reference_information"}, []string{"Bern", "Rome", "3", "[]", "f", "easy", sentences})
	return dir
}

const (
	theRoute = `{"plan": [{"day": 1, "current_city": "from Bern to Rome", "transportation": "Self-driving, from Bern to Rome", "accommodation": "Attico, Rome"},
		{"day": 2, "current_city": "Rome", "transportation": "-", "accommodation": "Attico, Rome"}, {"day": 3, "current_city": "from Rome to Bern", "transportation": "Self-driving, from Rome to Bern", "accommodation": "-"}]}`
	theDays = `{"plan": [{"day": 1, "breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "L'Osteria, Uno, Rome"},
		{"day": 2, "breakfast": "7 Più, Rome", "attraction": "Colosseum, Rome;1 Forum, Rome;", "lunch": "Tre, Rome", "dinner": "Quattro, Rome"}, {"day": 3, "breakfast": "-", "attraction": "-", "lunch": "-", "dinner": "-"}]}`
)

func TestConformance(t *testing.T) {
	for name, s := range map[string]*Settings{"made": {}, "pulled": {Path: pulled(t)}, "chosen": {Path: pulled(t), Levels: []string{"easy"}, Days: []string{"3"}}} {
		t.Run(name, func(t *testing.T) {
			tasktest.Conformance(t, tasktest.Case{Type: Type(), Settings: s, Agents: 2, Item: record(t, nil), Good: []string{theRoute, theDays}})
		})
	}
}

func TestProblems(t *testing.T) {
	of := func(s Settings, split task.Split) (asked []string) {
		tk, err := s.open(t.Context(), task.Environment{Agents: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range tk.Splits[split] {
			asked = append(asked, p.Question)
		}
		return asked
	}
	dir := pulled(t)
	if train, held := of(Settings{Path: dir}, task.Train), of(Settings{Path: dir}, task.Test); !slices.Equal(train, []string{"a", "b", "c"}) || !slices.Equal(held, []string{"d", "e"}) {
		t.Errorf("trained on %v, held out %v", train, held)
	}
	if train := of(Settings{Path: dir, Levels: []string{"easy", "medium"}, Days: []string{"5"}}, task.Train); !slices.Equal(train, []string{"c"}) {
		t.Errorf("of trips of five days there are %v", train)
	}
}

// problem is that of a row.
func problem(t *testing.T, row string) task.Problem {
	t.Helper()
	p, err := dataset.Problems("rows", strings.NewReader(row), readRow)
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

// TestTables: tables are the same whether the row has them as texts in Python, or as JSON.
func TestTables(t *testing.T) {
	p := problem(t, record(t, nil))
	for _, part := range []string{
		"Attractions in Rome: Name\nColosseum\n1 Forum\n\n", "Name; Average Cost; Cuisines\nL'Osteria, Uno; 20; Italian, Cafe\n7 Più; 30; Chinese\n", "Attico; 100.0; Entire home/apt; No smoking & No pets; 2.0; 2",
		"F0000001; 90; 15:40; 17:04", "Flight from Rome to Bern on 2022-03-18: There is no flight", "Taxi from Rome to Bern: No valid information.",
	} {
		if !strings.Contains(p.Fields["tables"], part) {
			t.Errorf("there is no %q in\n%s", part, p.Fields["tables"])
		}
	}
	tables, err := tablesOf([]byte(`{"Restaurants in Rome": [{"Name": "Tre", "Average Cost": 40, "Cuisines": "French", "City": "Rome"}], "Self-driving from A to B": "distance: 7 km"}`))
	if want := []table{{about: "Restaurants in Rome", rows: []row{{"Name": "Tre", "Average Cost": "40", "Cuisines": "French", "City": "Rome"}}}, {about: "Self-driving from A to B", text: "distance: 7 km"}}; err != nil || !reflect.DeepEqual(tables, want) {
		t.Errorf("tables %+v, %v", tables, err)
	}
}

// judged is the score of what two agents write about the trip to Rome.
func judged(t *testing.T, change map[string]string, texts ...string) task.Score {
	t.Helper()
	s, err := (&Task{}).Score(context.Background(), problem(t, record(t, change)), texts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScore: what is paid, and which checks a change of the good plan fails. Checks that nothing is asked for by are not made.
func TestScore(t *testing.T) {
	nothing := map[string]string{"local_constraint": "{'house rule': None, 'cuisine': None, 'room type': None, 'transportation': None}"}
	for _, c := range []struct {
		name     string
		change   map[string]string
		old, new string
		failed   string
		asked    int
		checks   float64
	}{
		{"good", nil, "", "", "", 13, 1},
		{"no wishes", nothing, "", "", "", 9, 1},
		{"wishes left out", map[string]string{"local_constraint": ""}, "", "", "", 9, 1},
		{"too dear", map[string]string{"budget": "578"}, "", "", "budget final_pass hard_macro official_pass", 13, 12. / 13},
		{"just enough", map[string]string{"budget": "579"}, "", "", "", 13, 1},
		{"six people", map[string]string{"people_number": "6"}, "", "", "budget final_pass hard_macro official_pass", 13, 12. / 13},
		{"smoking", map[string]string{"local_constraint": "{'house rule': 'smoking'}"}, "", "", "final_pass hard_macro official_pass room_rule", 10, .9},
		{"shared", map[string]string{"local_constraint": `{"room type": "shared room"}`}, "", "", "final_pass hard_macro official_pass room_type", 10, .9},
		{"not shared", map[string]string{"local_constraint": `{"room type": "not shared room"}`}, "Attico", "Letto", "final_pass hard_macro official_pass room_type", 10, .9},
		{"private", map[string]string{"local_constraint": `{"room type": "private room"}`}, "", "", "final_pass hard_macro official_pass room_type", 10, .9},
		{"no car", map[string]string{"local_constraint": `{"transportation": "no self-driving", "cuisine": ["Thai"]}`}, "", "", "cuisine final_pass hard_macro official_pass transportation_wish", 11, 9. / 11},
		{"other words around it", nil, `{"plan"`, `Here: {"plan"`, "", 13, 1},
		{"days by their places", nil, `"day": `, `"the": `, "", 13, 1},
		{"a meal elsewhere", nil, "Tre, Rome", "Tre, Bern", "budget commonsense_macro cuisine final_pass hard_macro official_pass room_rule room_type sandbox transportation_wish within_city", 13, 6. / 13},
		{"twice to one place", nil, "Tre, Rome", "Quattro, Rome", "commonsense_macro final_pass official_pass restaurants", 13, 12. / 13},
		{"the same sight", nil, "1 Forum", "Colosseum", "attractions commonsense_macro final_pass official_pass", 13, 12. / 13},
		{"one night", nil, `"-", "accommodation": "Attico, Rome"`, `"-", "accommodation": "Letto, Rome"`, "commonsense_macro final_pass hard_macro nights official_pass room_type", 13, 11. / 13},
		{"the car stays", nil, "Self-driving, from Rome to Bern", "Taxi, from Rome to Bern", "budget commonsense_macro final_pass hard_macro official_pass transportation", 13, 11. / 13},
		{"no such road", nil, "Self-driving, from Rome to Bern", "Self-driving, from Rome to Basel", "budget commonsense_macro cuisine final_pass hard_macro official official_pass room_rule room_type sandbox transportation_wish within_city", 13, 6. / 13},
		{"no such flight", map[string]string{"local_constraint": ""}, "Self-driving, from Bern to Rome", "Flight Number: F0000002, from Bern to Rome", "budget commonsense_macro final_pass hard_macro official_pass sandbox transportation", 9, 6. / 9},
		{"a flight and a car", map[string]string{"local_constraint": ""}, "Self-driving, from Bern to Rome", "Flight Number: F0000001, from Bern to Rome", "commonsense_macro final_pass official_pass transportation", 9, 8. / 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := judged(t, c.change, strings.ReplaceAll(theRoute, c.old, c.new), strings.ReplaceAll(theDays, c.old, c.new))
			if c.old == "" {
				s = judged(t, c.change, theRoute, theDays)
			}
			var failed []string
			asked := 0
			for name, r := range s.Rates {
				if !r.All() && !strings.HasSuffix(name, "_micro") {
					failed = append(failed, name)
				}
				if strings.HasSuffix(name, "_micro") {
					asked += r.Of
				}
			}
			slices.Sort(failed)
			pass := float64(s.Rates["final_pass"].Passed)
			if got := strings.Join(failed, " "); got != c.failed || asked != c.asked || math.Abs(s.Parts["checks"]-c.checks) > 1e-12 || math.Abs(s.Reward-(c.checks+pass)/2) > 1e-12 {
				t.Errorf("failed %q of %d, reward %v of checks %v; want %q of %d, checks %v", got, asked, s.Reward, s.Parts["checks"], c.failed, c.asked, c.checks)
			}
		})
	}
}

// TestNoPlan: what is no JSON of days earns nothing, and neither does what the other agent says in its place.
func TestNoPlan(t *testing.T) {
	for _, c := range [][]string{{theRoute, "I would eat."}, {"", theDays}, {theRoute, `{"plan": []}`}, {theRoute, `{"plan": [1]}`}, {theRoute, `{"plan": [{"day": 0}]}`}, {theRoute, `{"plan": [{"day": 4}]}`}, {"}{", theDays}} {
		if s := judged(t, nil, c...); s.Reward != 0 || s.Rates["delivery"].Passed != 0 || slices.Contains(s.Signals.Usable, true) == slices.Contains([]string{"", "}{"}, c[0]) && c[0] == theRoute {
			t.Errorf("%q earn %+v", c, s)
		}
	}
	if s := judged(t, nil, theDays, theRoute); s.Rates["complete"].Passed != 0 || s.Rates["delivery"].Passed != 1 {
		t.Errorf("fields of the other's are taken: %+v", s)
	}
	if s := judged(t, nil, strings.ReplaceAll(theRoute, `"current_city"`, `"dinner": "Tre, Rome", "current_city"`), theDays); s.Reward != 1 {
		t.Errorf("fields of the other's are taken: %+v", s)
	}
	both := strings.TrimSuffix(theRoute, "]}") + "," + strings.TrimPrefix(theDays, `{"plan": [`)
	if s := judged(t, nil, both); s.Reward >= 1 {
		t.Errorf("of days that stand twice the first counts: %+v", s)
	}
	if _, err := (&Task{}).Score(t.Context(), problem(t, record(t, nil)), []string{"", "", ""}); err == nil {
		t.Error("three agents are scored")
	}
}

// TestOfficial: the published code takes the city of a stay for a list of letters.
func TestOfficial(t *testing.T) {
	p := plan{{current: "Rome", dinner: "Mensa, Bern", attraction: "x", lodging: "Hotel e"}}
	if p.within(day.cities) || !p.within(day.letters) {
		t.Error("a meal in another city passes as meant, or does not pass as published")
	}
	for _, d := range []day{{current: "from nowhere"}, {current: "", lodging: "Letto, Rome"}, {current: "Rome", transportation: "Taxi, from B to C"}} {
		if p := (plan{d}); p.within(day.cities) && p.within(day.letters) {
			t.Errorf("%v is within its city", d)
		}
	}
}

// TestRoute are lists of cities.
func TestRoute(t *testing.T) {
	trip := trip{Origin: "A", Days: 5, Known: []string{"B", "C", "D"}}
	for list, want := range map[string]bool{
		"from A to B|B|from B to C|C|from C to A": true, "from A to B(X)|B(X)|from B(X) to A": true, "from A to B|from B to C|C|from C to A": true,
		"from A to B|from B to A": true, "from A to B|from C to A": false, "from B to C|C|from C to B": false, "from A to B|B|B": false, "from A to E|E|from E to A": false,
		"from A to B|B|from B to A|A|from A to B|B|from B to A": false, "from A to B|B|from B to C|C|from C to B|B|from B to A": false, "from A to B|C|from B to A": false, "from A|B": false, "A": false, "": false, "B|B|B": true,
	} {
		var p plan
		for _, city := range strings.Split(list, "|") {
			p = append(p, day{current: city})
		}
		if got := trip.route(p); got != want {
			t.Errorf("%s: %v", list, got)
		}
	}
}

// TestComplete: what may not be missing.
func TestComplete(t *testing.T) {
	trip := trip{Origin: "A", Days: 1, Cities: 1}
	full := day{current: "B", transportation: "-", breakfast: "x", attraction: "y;", lunch: "z", dinner: "u", lodging: "-"}
	for field, cell := range map[string]string{current: "C to D", transportation: "", breakfast: "-", attraction: "", lunch: "", dinner: "-", "none": ""} {
		d := with(full, field, cell)
		if got, want := trip.complete(plan{d}), field == "none" || field == transportation; got != want {
			t.Errorf("%s is %q: %v", field, cell, got)
		}
	}
	delete(full, lodging)
	if trip.complete(plan{full}) || trip.complete(plan{nil}) || trip.complete(nil) {
		t.Error("a day without a field is complete")
	}
}

// with is a day with another text in a field.
func with(d day, field, text string) day {
	out := day{}
	for f, v := range d {
		out[f] = v
	}
	out[field] = text
	return out
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ column, cell, want string }{
		{"query", " ", "there is no query"},
		{"org", "", "there is no org"},
		{"days", "0", "days is 0: write a whole number from 1 to 100"},
		{"visiting_city_number", "one", `visiting_city_number is "one": write a number`},
		{"people_number", "1.5", "people_number is 1.5: write a whole number"},
		{"budget", "", "there is no budget: the queries of TravelPlanner's test split have none"},
		{"budget", "$5", `budget is "$5": write a number`},
		{"local_constraint", "{'house rule': 'noise'}", `local_constraint: house rule is "noise": write one of smoking, parties, children under 10, visitors, pets, or null`},
		{"local_constraint", "{'room type': house}", "local_constraint: \"{'room type': house}\" is no list and no dict of Python, and no JSON"},
		{"local_constraint", "{'cuisine': {}}", "local_constraint: cuisine is {}, expected a list of texts"},
		{"local_constraint", "[]", "local_constraint: [] is no JSON object"},
		{"reference_information", "", "there is no reference_information"},
		{"reference_information", "['x", `reference_information: "['x" is no list and no dict of Python, and no JSON`},
		{"reference_information", `{"x": ["\q"]`, `reference_information: "{\"x\": [\"\\q\"]" is no list`},
		{"reference_information", "[1]", "reference_information: write an object of tables"},
		{"reference_information", "{}", "reference_information: there are no places: write tables such as"},
		{"reference_information", `{"Hotels in Rome": [{}]}`, "reference_information: Hotels in Rome: write a sentence, or a list of rows of Attractions"},
		{"reference_information", `{"Restaurants in Rome": [1]}`, "reference_information: Restaurants in Rome: row 1: 1 is no JSON object"},
		{"reference_information", `{"Restaurants in Rome": [{"Name": "Tre", "City": "Rome"}]}`, "reference_information: Restaurants in Rome: row 1: there is no Average Cost"},
		{"reference_information", strings.Replace(sentences, "   20 Italian", "cheap Italian", 1), `reference_information: Restaurants in Rome: row 1: Average Cost is "cheap": write a number`},
		{"reference_information", strings.Replace(sentences, "Average Cost ", "Cost ", 1), `reference_information: Restaurants in Rome: there is no column Average Cost in "`},
		{"reference_information", strings.Replace(sentences, `\n Letto`, `\nLetto\n Letto`, 1), `reference_information: Accommodations in Rome: row 2 is shorter than its columns: "Letto"`},
		{"reference_information", `{"Accommodations in Rome": [{"NAME": "a", "city": "b", "price": 1, "room type": "c", "minimum nights": 1, "maximum occupancy": 0}]}`, "row 1: maximum occupancy is 0: write a whole number from 1"},
		{"reference_information", `{"Taxi to Rome": "distance: 1 km"}`, "reference_information: Taxi to Rome: write a sentence about a way"},
		{"reference_information", `{"Taxi from A to B": "far"}`, `reference_information: Taxi from A to B: write a sentence about a way, "Taxi from A to B": "distance: 100 km", or "No valid information."`},
		{"reference_information", `{"Taxi from A to B": "distance: 1.2.3 km"}`, "reference_information: Taxi from A to B: write a sentence"},
	} {
		dir := t.TempDir()
		file(t, dir, "train.csv", header, cells("a", nil), cells("b", map[string]string{c.column: c.cell}))
		file(t, dir, "validation.csv", header, cells("c", nil))
		path := filepath.Join(dir, "train.csv")
		line := 2 + 1
		if _, err := (Settings{Path: dir}).open(t.Context(), task.Environment{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s:%d: %s", path, line, c.want)) && !(strings.HasPrefix(c.want, "row") && strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want …%s…", err, c.want)
		}
	}
	for s, want := range map[*Settings]string{
		{Path: "nowhere"}: "there is no data set", {Path: pulled(t), Days: []string{"7"}}: "task.days and task.levels: 0 training and 0 held-out problems",
	} {
		if _, err := s.open(t.Context(), task.Environment{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want …%s…", err, want)
		}
	}
}

// TestLiteral are literals of Python and what they are in JSON; "": none.
func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		`{'a': None, "b": [True, False, 1e3, -.5], 'c': nan}`: "", `{'a': None, "b": [True, False, 1e3, -0.5], 'c': nan}`: `{"a": null, "b": [true, false, 1e3, -0.5], "c": null}`,
		`['it\'s', "it's", 'a "b"', "\"", '\n\\\x41\u00e9\xe9', 'é']`: `["it's", "it's", "a \"b\"", "\"", "\n\\Aéé", "é"]`,
		`{"a": "\/"}`: `{"a": "\/"}`, "'": "", `'\`: "", "f()": "", "(1, 2)": "", "{'a'}": "", `'\q'`: "",
	} {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unquoted(data)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}

func FuzzLiteral(f *testing.F) {
	f.Add(`{'a': [None, "x\'y", 1.5]}`)
	f.Fuzz(func(t *testing.T, text string) {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := unquoted(data); err == nil && text != "" && !json.Valid(data) {
			t.Fatalf("%q is %s", text, data)
		}
	})
}

func FuzzTables(f *testing.F) {
	f.Add([]byte(`{"Restaurants in Rome": "Name  Average Cost  Cuisines  Aggregate Rating City\n  é            1         x               0.0 Rome"}`))
	quoted, err := json.Marshal(sentences)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(quoted)
	f.Fuzz(func(t *testing.T, data []byte) {
		if tables, err := tablesOf(data); err == nil {
			if err := (&trip{}).know(tables); err == nil && len(tables) == 0 {
				t.Fatal("places of no tables")
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add(theRoute, theDays)
	f.Add(`{"plan": [{"current_city": "from (", "transportation": "Flight Number: ,"}]}`, "{}")
	f.Fuzz(func(t *testing.T, first, second string) {
		trip := trip{Origin: "Bern", Days: 3, Cities: 1, People: 2, Roads: map[string]float64{}, Lodgings: []place{{Name: "Attico", City: "Rome", Most: 1}}}
		p, usable := join(trip.Days, []string{first, second})
		v := trip.judge(p)
		if len(p) > 0 && slices.Contains(usable, false) || v.passed > v.asked || v.asked != 9 {
			t.Fatalf("plan %v of usable texts %v passes %d of %d", p, usable, v.passed, v.asked)
		}
	})
}

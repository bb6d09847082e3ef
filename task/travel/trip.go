package travel

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// A trip is what is asked for, with what is known: all that checks are made with.
type trip struct {
	Origin, Destination  string
	Days, Cities, People int
	Budget               float64

	// Wishes; empty: none.
	Rule, Room, Transport string
	Cuisines              []string

	Known                              []string // cities
	Restaurants, Attractions, Lodgings []place
	Flights                            []flight
	Roads                              map[string]float64 // kilometres, by [road]
}

// A place has a name in a city, and what its table says beside it.
type place struct {
	Name, City string
	Price      float64 `json:",omitempty"` // of a meal, of a night
	Cuisines   string  `json:",omitempty"`
	Room       string  `json:",omitempty"`
	Rules      string  `json:",omitempty"`
	Nights     float64 `json:",omitempty"` // at least
	Most       float64 `json:",omitempty"` // people
}

// A flight goes one way.
type flight struct {
	Number, From, To string
	Price            float64
}

// road is the key of a way.
func road(from, to string) string { return from + ">" + to }

// Fields of a problem.
const (
	fieldTables = "tables"
	fieldOwn    = "own"
	fieldDays   = "days"
	fieldLevel  = "level"
	fieldTrip   = "trip" // for the scorer alone
)

// readRow reads a row of the data set.
func readRow(line int, record []byte) (p task.Problem, err error) {
	r, err := dataset.ParseRecord(record)
	if err != nil {
		return p, err
	}
	if p.Question, err = r.Required("query"); err != nil {
		return p, err
	}
	if p.ID, err = r.Text("id"); err != nil {
		return p, err
	}
	t, err := readTrip(r)
	if err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = fmt.Sprintf("%s-%s-%d", t.Origin, t.Destination, line)
	}
	if r.Null("reference_information") {
		return p, r.Missing("reference_information")
	}
	tables, err := tablesOf(r.Value("reference_information"))
	if err == nil {
		err = t.know(tables)
	}
	if err != nil {
		return p, fmt.Errorf("reference_information: %w", err)
	}
	var shown []string
	for _, one := range tables {
		shown = append(shown, one.String())
	}
	kept, err := json.Marshal(t)
	level, _ := r.Text("level")
	p.Fields = map[string]string{fieldTables: strings.Join(shown, "\n\n"), fieldDays: fmt.Sprint(t.Days), fieldTrip: string(kept), fieldLevel: level}
	return p, err
}

// readTrip reads what is asked for.
func readTrip(r dataset.Record) (t trip, err error) {
	if t.Origin, err = r.Required("org"); err != nil {
		return t, err
	}
	if t.Destination, err = r.Required("dest"); err != nil {
		return t, err
	}
	if t.Days, err = whole(r, "days"); err != nil {
		return t, err
	}
	if t.Cities, err = whole(r, "visiting_city_number"); err != nil {
		return t, err
	}
	if t.People, err = whole(r, "people_number"); err != nil {
		return t, err
	}
	text, err := r.Required("budget")
	if err != nil {
		return t, fmt.Errorf("%w; queries of TravelPlanner's test split have none, and cannot be scored", err)
	}
	if t.Budget, err = strconv.ParseFloat(text, 64); err != nil {
		return t, fmt.Errorf("budget is %.40q: write a number", text)
	}
	return t, t.readWishes(r)
}

// whole is a number of a row that must be 1 at least.
func whole(r dataset.Record, key string) (int, error) {
	text, err := r.Required(key)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != float64(int(n)) || n < 1 || n > 100 {
		return 0, fmt.Errorf("%s is %.40q: write a whole number from 1 to 100", key, text)
	}
	return int(n), nil
}

// readWishes reads local_constraint: an object, or the dict of Python that the data set has. What is null, empty or not there is no wish.
func (t *trip) readWishes(r dataset.Record) (err error) {
	value := r.Value("local_constraint")
	var text string
	if len(value) > 0 && json.Unmarshal(value, &text) == nil && text != "" {
		if value, err = literal(text); err != nil {
			return fmt.Errorf("local_constraint: %w", err)
		}
	}
	if len(value) == 0 || string(value) == "null" || string(value) == `""` {
		return nil
	}
	w, err := dataset.ParseRecord(value)
	if err != nil {
		return fmt.Errorf("local_constraint: %w", err)
	}
	for _, wish := range []struct {
		key  string
		into *string
		of   []string
	}{
		{"house rule", &t.Rule, []string{"smoking", "parties", "children under 10", "visitors", "pets"}},
		{"room type", &t.Room, []string{"not shared room", "shared room", "private room", "entire room"}},
		{"transportation", &t.Transport, []string{"no flight", "no self-driving"}},
	} {
		if *wish.into, err = w.Text(wish.key); err == nil && *wish.into != "" && !slices.Contains(wish.of, *wish.into) {
			err = fmt.Errorf("%s is %q: write one of %s, or null", wish.key, *wish.into, strings.Join(wish.of, ", "))
		}
		if err != nil {
			return fmt.Errorf("local_constraint: %w", err)
		}
	}
	if t.Cuisines, err = w.Texts("cuisine"); err != nil {
		return fmt.Errorf("local_constraint: %w", err)
	}
	return nil
}

// distance is what a sentence about a way says.
var distance = regexp.MustCompile(`distance: ([0-9][0-9,.]*) *km`)

// know adds what tables say.
func (t *trip) know(tables []table) error {
	t.Roads = map[string]float64{}
	for _, one := range tables {
		for i, cells := range one.rows {
			if err := t.add(one.kind(), cells); err != nil {
				return fmt.Errorf("%s: row %d: %w", one.about, i+1, err)
			}
		}
		if kind := one.kind(); kind != "Self-driving" && kind != "Taxi" {
			continue
		}
		if err := t.way(one); err != nil {
			return fmt.Errorf("%s: %w", one.about, err)
		}
	}
	for _, list := range [][]place{t.Restaurants, t.Attractions, t.Lodgings} {
		for _, p := range list {
			t.Known = append(t.Known, p.City)
		}
	}
	slices.Sort(t.Known)
	if t.Known = slices.Compact(t.Known); len(t.Known) == 0 {
		return errors.New(`there are no places: write tables such as {"Restaurants in Rome": [{"Name": "Da Enzo", "Average Cost": 20, "Cuisines": "Italian", "City": "Rome"}]}`)
	}
	return nil
}

// add adds a row of a table.
func (t *trip) add(kind string, cells row) error {
	r := &reader{row: cells}
	switch kind {
	case "Attractions":
		t.Attractions = append(t.Attractions, place{Name: r.text("Name"), City: r.text("City")})
	case "Restaurants":
		t.Restaurants = append(t.Restaurants, place{Name: r.text("Name"), City: r.text("City"), Price: r.number("Average Cost"), Cuisines: cells["Cuisines"]})
	case "Accommodations":
		t.Lodgings = append(t.Lodgings, place{Name: r.text("NAME"), City: r.text("city"), Price: r.number("price"), Room: r.text("room type"), Rules: cells["house_rules"],
			Nights: r.number("minimum nights"), Most: r.number("maximum occupancy")})
		if most := t.Lodgings[len(t.Lodgings)-1].Most; most < 1 && r.err == nil {
			r.err = fmt.Errorf("maximum occupancy is %g: write 1 or more", most)
		}
	case "Flight":
		t.Flights = append(t.Flights, flight{Number: r.text("Flight Number"), From: r.text("OriginCityName"), To: r.text("DestCityName"), Price: r.number("Price")})
	}
	return r.err
}

// way adds what a sentence says of a way. Self-driving and Taxi say the same of it.
func (t *trip) way(one table) error {
	from, to := fromTo(one.about)
	found := distance.FindStringSubmatch(one.text)
	switch {
	case from == "":
		return errors.New("write from A to B behind its first word")
	case found == nil && strings.Contains(strings.ToLower(one.text), "no valid information"):
		return nil
	case found == nil:
		return errors.New(`write a sentence with "distance: 100 km", or "No valid information."`)
	}
	km, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	if err != nil {
		return fmt.Errorf("the distance %s is no number", found[1])
	}
	t.Roads[road(from, to)] = km
	return nil
}

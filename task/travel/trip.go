package travel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// A trip is what is asked for, with what is known: all that checks are made with.
type trip struct {
	Origin               string
	Days, Cities, People int
	Budget               float64
	Rule, Room, Vehicle  string // wishes; empty: none
	Cuisines             []string

	Known                              []string // cities
	Restaurants, Attractions, Lodgings []place
	Flights                            []flight
	Roads                              map[string]float64 // kilometres, by [road]
}

// A place has a name in a city, and what its table says beside it.
type place struct {
	Name, City            string
	Price                 float64 // of a meal, of a night
	Cuisines, Room, Rules string
	Nights, Most          float64 // nights at least, people at most
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
	fieldDays   = "days"
	fieldLevel  = "level"
	fieldTrip   = "trip" // for the scorer alone
)

// readRow reads a row of the data set.
func readRow(_ int, record []byte) (p task.Problem, err error) {
	data, err := dataset.ParseRecord(record)
	if err != nil {
		return p, err
	}
	r := &reader{row: cellsOf(data)}
	t := trip{Origin: r.text("org"), Days: r.whole("days"), Cities: r.whole("visiting_city_number"), People: r.whole("people_number"), Budget: r.number("budget")}
	p.Question = r.text("query")
	p.ID = cmp.Or(r.row["id"], fmt.Sprintf("%s-%s-%08x", t.Origin, r.row["dest"], crc32.ChecksumIEEE([]byte(p.Question))))
	r.text("reference_information")
	if r.row["budget"] == "" {
		return p, errors.New("there is no budget: the queries of TravelPlanner's test split have none, and cannot be scored")
	}
	if r.err != nil {
		return p, r.err
	}
	if err := t.wish(data.Value("local_constraint")); err != nil {
		return p, fmt.Errorf("local_constraint: %w", err)
	}
	tables, err := tablesOf(data.Value("reference_information"))
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
	p.Fields = map[string]string{fieldTables: strings.Join(shown, "\n\n"), fieldDays: fmt.Sprint(t.Days), fieldLevel: r.row["level"], fieldTrip: string(kept)}
	return p, err
}

// wish reads what is wished for: an object, or the dict of Python that the data set has. What is null, empty or not there is no wish.
func (t *trip) wish(value json.RawMessage) (err error) {
	if value, err = unquoted(value); err != nil || len(value) == 0 || string(value) == "null" {
		return err
	}
	w, err := dataset.ParseRecord(value)
	if err != nil {
		return err
	}
	for _, wish := range []struct {
		key  string
		into *string
		of   []string
	}{
		{"house rule", &t.Rule, []string{"smoking", "parties", "children under 10", "visitors", "pets"}},
		{"room type", &t.Room, []string{"not shared room", "shared room", "private room", "entire room"}},
		{"transportation", &t.Vehicle, []string{"no flight", "no self-driving"}},
	} {
		if *wish.into = w.Plain(wish.key); *wish.into != "" && !slices.Contains(wish.of, *wish.into) {
			return fmt.Errorf("%s is %q: write one of %s, or null", wish.key, *wish.into, strings.Join(wish.of, ", "))
		}
	}
	t.Cuisines, err = w.Texts("cuisine")
	return err
}

// know adds what tables say.
func (t *trip) know(tables []table) error {
	t.Roads = map[string]float64{}
	for _, one := range tables {
		for i, cells := range one.rows {
			if err := t.add(one.kind(), &reader{row: cells}); err != nil {
				return fmt.Errorf("%s: row %d: %w", one.about, i+1, err)
			}
		}
		if kind := one.kind(); kind == "Self-driving" || kind == "Taxi" {
			if err := t.way(one); err != nil {
				return fmt.Errorf("%s: %w", one.about, err)
			}
		}
	}
	for _, p := range slices.Concat(t.Restaurants, t.Attractions, t.Lodgings) {
		t.Known = append(t.Known, p.City)
	}
	slices.Sort(t.Known)
	if t.Known = slices.Compact(t.Known); len(t.Known) == 0 {
		return errors.New(`there are no places: write tables such as {"Restaurants in Rome": [{"Name": "Da Enzo", "Average Cost": 20, "Cuisines": "Italian", "City": "Rome"}]}`)
	}
	return nil
}

// add adds a row of a table.
func (t *trip) add(kind string, r *reader) error {
	switch kind {
	case "Attractions":
		t.Attractions = append(t.Attractions, place{Name: r.text("Name"), City: r.text("City")})
	case "Restaurants":
		t.Restaurants = append(t.Restaurants, place{Name: r.text("Name"), City: r.text("City"), Price: r.number("Average Cost"), Cuisines: r.row["Cuisines"]})
	case "Accommodations":
		t.Lodgings = append(t.Lodgings, place{
			Name: r.text("NAME"), City: r.text("city"), Price: r.number("price"), Room: r.text("room type"), Rules: r.row["house_rules"],
			Nights: r.number("minimum nights"), Most: float64(r.whole("maximum occupancy")),
		})
	case "Flight":
		t.Flights = append(t.Flights, flight{r.text("Flight Number"), r.text("OriginCityName"), r.text("DestCityName"), r.number("Price")})
	}
	return r.err
}

// distance is what a sentence about a way says.
var distance = regexp.MustCompile(`distance: ([0-9][0-9,]*(?:\.[0-9]+)?) *km`)

// way adds what a sentence says of a way. Self-driving and Taxi say the same of it.
func (t *trip) way(one table) error {
	from, to := fromTo(one.about)
	found := distance.FindStringSubmatch(one.text)
	if from != "" && found == nil && strings.Contains(strings.ToLower(one.text), "no valid information") {
		return nil
	}
	if from == "" || found == nil {
		return errors.New(`write a sentence about a way, "Taxi from A to B": "distance: 100 km", or "No valid information."`)
	}
	km, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	t.Roads[road(from, to)] = km
	return err
}

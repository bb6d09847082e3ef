package vectortest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/task/travel"
)

// checks are the rates of the task by the names of the benchmark's evaluator.
var checks = map[string]string{
	"is_valid_information_in_current_city": "official", "is_reasonable_visiting_city": "route", "is_valid_restaurants": "restaurants", "is_valid_attractions": "attractions",
	"is_valid_transportation": "transportation", "is_valid_information_in_sandbox": "sandbox", "is_valid_accommodation": "nights", "is_not_absent": "complete",
	"valid_cost": "budget", "valid_room_rule": "room_rule", "valid_cuisine": "cuisine", "valid_room_type": "room_type", "valid_transportation": "transportation_wish",
}

// TestVectorsTravel scores plans as the shell does: every check is that of the benchmark's evaluator. Plans are said by two agents.
func TestVectorsTravel(t *testing.T) {
	data, err := contents("travel.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Catalogue catalogue
		Cases     []struct {
			ID                string
			Query             map[string]any
			Plan              []map[string]any
			Commonsense, Hard map[string]*bool
			Cost              *float64
			Pass              bool
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	scorer, err := travel.Type().Items(t.Context(), &travel.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			c.Query["query"], c.Query["reference_information"] = c.ID, file.Catalogue.tables()
			p, err := scorer.Read(inJSON(t, c.Query), 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range c.Plan {
				d["day"] = d["days"]
			}
			said := string(inJSON(t, map[string]any{"plan": c.Plan}))
			score, err := scorer.Score(t.Context(), p, []string{said, said})
			if err != nil {
				t.Fatal(err)
			}
			passed, asked := 0, 0
			for theirs, ours := range checks {
				want := c.Commonsense[theirs]
				if strings.HasPrefix(theirs, "valid_") {
					want = c.Hard[theirs]
				}
				rate, applies := score.Rates[ours]
				if want != nil && (rate.Passed == 1) != *want || want == nil && rate.Passed == 1 {
					t.Errorf("%s: %s is %+v", theirs, ours, rate)
				}
				if ours != "official" && applies {
					asked, passed = asked+1, passed+rate.Passed
				}
			}
			passed, asked = passed+score.Rates["within_city"].Passed, asked+1
			if want := (float64(passed)/float64(asked) + float64(score.Rates["final_pass"].Passed)) / 2; !Close(score.Reward, want, 1e-9) {
				t.Errorf("reward %v, want %v", score.Reward, want)
			}
			if all := score.Rates["final_pass"].All(); all != (passed == asked) || score.Rates["official_pass"].All() != c.Pass {
				t.Errorf("passes %v, and officially %v; want %v", all, score.Rates["official_pass"].All(), c.Pass)
			}
			if c.Cost != nil && !Close(score.Parts["cost"], *c.Cost, 1e-9) {
				t.Errorf("it costs %v, want %v", score.Parts["cost"], *c.Cost)
			}
		})
	}
}

func inJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A catalogue is what the vectors know of places, in the order of their columns.
type catalogue struct {
	Restaurants, Attractions, Accommodations, Flights [][]any
	Distance                                          map[string]*float64
}

// tables are those of a row of the data set.
func (c catalogue) tables() map[string]any {
	out := map[string]any{}
	for about, table := range map[string]struct {
		columns []string
		rows    [][]any
	}{
		"Restaurants in all cities":    {[]string{"Name", "City", "Average Cost", "Cuisines"}, c.Restaurants},
		"Attractions in all cities":    {[]string{"Name", "City"}, c.Attractions},
		"Accommodations in all cities": {[]string{"NAME", "city", "price", "room type", "house_rules", "minimum nights", "maximum occupancy"}, c.Accommodations},
		"Flight between all cities":    {[]string{"Flight Number", "OriginCityName", "DestCityName", "Price", "FlightDate"}, c.Flights},
	} {
		var rows []map[string]any
		for _, cells := range table.rows {
			row := map[string]any{}
			for i, column := range table.columns {
				row[column] = cells[i]
			}
			rows = append(rows, row)
		}
		out[about] = rows
	}
	for way, km := range c.Distance {
		from, to, _ := strings.Cut(way, ">")
		text := "No valid information."
		if km != nil {
			text = fmt.Sprintf("distance: %g km", *km)
		}
		out["Self-driving from "+from+" to "+to] = text
	}
	return out
}

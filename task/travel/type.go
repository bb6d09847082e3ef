package travel

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// name is what recipes call the task.
const name = "travel"

// Settings are what recipes may say.
type Settings struct {
	Path   string   `yaml:"path" names:"data" default:""`
	Days   []string `yaml:"days" oneof:"3 5 7"`
	Levels []string `yaml:"levels" oneof:"easy medium hard"`
}

//go:embed keys.md
var keyTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Settings) KeyTexts() (file, text string) { return "task/travel/keys.md", keyTexts }

// DataPath implements [task.DataReader].
func (s Settings) DataPath() string { return s.Path }

// Type returns the task for the register.
func Type() task.Type {
	return task.Define(task.Definition[Settings]{
		Traits: task.Traits{
			Name: name, About: "A trip of several days that two agents plan together, one the route and one the meals and sights (TravelPlanner, sole planning).",
			Joint: true, Responses: task.Count{Least: 1, Most: 2}, Solo: solo,
			Fields: []task.Field{
				{Name: fieldTables, About: "what is known of the places, a table a paragraph"},
				{Name: fieldDays, About: "how many days the trip has"},
				{Name: fieldLevel, About: "how hard the query is, as the row says"},
			},
			Prompts: task.Prompts{First: first, Later: later},
		},
		Open: func(ctx context.Context, s Settings, in task.Environment) (task.Task, error) { return s.open(ctx, in) },
		Items: func(context.Context, Settings) (*task.ItemScorer, error) {
			return &task.ItemScorer{Read: func(item []byte, _ int) (task.Problem, error) { return readRow(1, item) }, Score: (&Task{}).Score}, nil
		},
	})
}

// asks is what is known, for who writes it all and for who writes a part.
const asks = `Query: {{.Question}}

Tables, whose columns are separated by semicolons:

{{.Fields.tables}}

`

// What agents write of each day, and how.
const (
	ofRoute = `- current_city: a city, or from A to B on a day that leads from one to another
- transportation: Flight Number: F0123456, from A to B; or Self-driving, from A to B; or Taxi, from A to B
- accommodation: Name, City
`
	ofDays = `- breakfast, lunch, dinner: Name, City
- attraction: Name, City; with a semicolon behind each of several
`
)

const rules = `All names are those of the tables. Write - where nothing is needed.
Write JSON only, with an object for each of the {{.Fields.days}} days: {"plan": [{"day": 1, FIELD: TEXT, ...}, ...]}`

const first = `Two agents plan a trip together. Neither sees what the other writes. You are agent {{.Agent}}.

` + asks + `Write these fields of each day; the other agent writes the rest:
{{if eq .Agent 1}}` + ofRoute + `{{else}}` + ofDays + `{{end}}` + rules

const later = `Check your fields and write all of them again, improved where that is needed.
` + rules

// solo asks for all fields.
const solo = `Plan a trip.

` + asks + `Write these fields of each day:
` + ofRoute + ofDays + rules

// towns are the tables of the made-up trips, from Ham to Elm and back, but for the restaurants of Elm.
const towns = `"Attractions in Elm":[{"Name":"Mill","City":"Elm"},{"Name":"Fort","City":"Elm"}],` +
	`"Accommodations in Elm":[{"NAME":"Inn","price":20,"room type":"Private room","minimum nights":2,"maximum occupancy":2,"city":"Elm"},` +
	`{"NAME":"Hut","price":10,"room type":"Shared room","minimum nights":3,"maximum occupancy":2,"city":"Elm"}],` +
	`"Flight from Ham to Elm":[{"Flight Number":"F1","Price":90,"OriginCityName":"Ham","DestCityName":"Elm"}],"Flight from Elm to Ham":[{"Flight Number":"F2","Price":90,"OriginCityName":"Elm","DestCityName":"Ham"}],` +
	`"Self-driving from Ham to Elm":"distance: 100 km","Self-driving from Elm to Ham":"distance: 100 km"`

// made are trips of parley's own, three days long, for bases that know few words. What differs is how many people travel, and what they may spend.
func made() (*dataset.Loaded, error) {
	var restaurants, rows []string
	for n := 1; n <= 9; n++ {
		restaurants = append(restaurants, fmt.Sprintf(`{"Name":"%d","Average Cost":5,"City":"Elm"}`, n))
	}
	known := fmt.Sprintf(`{%s,"Restaurants in Elm":[%s]}`, towns, strings.Join(restaurants, ","))
	for people := 1; people <= 6; people++ {
		for spare := range 10 {
			budget := 20*people + 40*((people+1)/2) + 10*((people+4)/5) + 25*spare*people
			rows = append(rows, fmt.Sprintf(`{"id":"towns-%[1]d-%[2]d","query":"%[1]d people have %[2]d dollars for 3 days from Ham to Elm.","org":"Ham","dest":"Elm","days":3,"visiting_city_number":1,"people_number":%[1]d,"budget":%[2]d,"level":"easy","reference_information":%[3]s}`,
				people, budget, known))
		}
	}
	all, err := dataset.Problems("the trips in the binary", strings.NewReader(strings.Join(rows, "\n")), readRow)
	if err != nil {
		return nil, err
	}
	train, held := dataset.Hashed(all)
	return dataset.Apart(train, held, dataset.OneInFive)
}

package travel

import (
	"fmt"
	"strings"

	"parley/task/dataset"
)

// places are the tables of the made-up trips, from Ham to Elm and back.
const places = `{"Attractions in Elm":[{"Name":"Mill","City":"Elm"},{"Name":"Fort","City":"Elm"}],` +
	`"Restaurants in Elm":[{"Name":"Ash","Average Cost":5,"Cuisines":"Thai","City":"Elm"},{"Name":"Bay","Average Cost":6,"Cuisines":"Thai","City":"Elm"},` +
	`{"Name":"Cod","Average Cost":7,"Cuisines":"Fish","City":"Elm"},{"Name":"Dill","Average Cost":8,"Cuisines":"Fish","City":"Elm"},{"Name":"Egg","Average Cost":30,"Cuisines":"Fish","City":"Elm"}],` +
	`"Accommodations in Elm":[{"NAME":"Inn","price":20,"room type":"Private room","house_rules":"","minimum nights":2,"maximum occupancy":2,"city":"Elm"},` +
	`{"NAME":"Hut","price":10,"room type":"Shared room","house_rules":"No pets","minimum nights":3,"maximum occupancy":2,"city":"Elm"}],` +
	`"Flight from Ham to Elm":[{"Flight Number":"F1","Price":90,"OriginCityName":"Ham","DestCityName":"Elm"}],"Flight from Elm to Ham":[{"Flight Number":"F2","Price":90,"OriginCityName":"Elm","DestCityName":"Ham"}],` +
	`"Self-driving from Ham to Elm":"distance: 100 km","Self-driving from Elm to Ham":"distance: 100 km"}`

// made are trips of parley's own, three days long, for bases that know few words. What differs is how many people travel, and what they may spend.
func made() (*dataset.Loaded, error) {
	var lines []string
	for people := 1; people <= 6; people++ {
		for spare := range 10 {
			budget := 30*people + 40*((people+1)/2) + 10*((people+4)/5) + 10*spare
			lines = append(lines, fmt.Sprintf(`{"id":"towns-%d-%d","query":"%d people have %d dollars for 3 days from Ham to Elm.","org":"Ham","dest":"Elm","days":3,"visiting_city_number":1,"people_number":%d,"budget":%d,"level":"easy","reference_information":%s}`,
				people, budget, people, budget, people, budget, places))
		}
	}
	all, err := Read("the trips in the binary", strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return nil, err
	}
	train, held := dataset.Hashed(all)
	return dataset.Apart(train, held, dataset.OneInFive)
}

package travel

import (
	"slices"
	"strings"
)

// Checks that others need to know.
const (
	withinCity = "within_city"
	official   = "official" // within_city as the published code computes it
	sandbox    = "sandbox"
	complete   = "complete"
)

// commonsense checks what holds of any trip. The names are those of rates; official is beside the eight.
func (t *trip) commonsense(p plan) map[string]bool {
	return map[string]bool{
		withinCity: p.within(day.cities), official: p.within(day.letters), sandbox: t.known(p), complete: t.complete(p), "route": t.route(p),
		"restaurants": p.differ(day.meals), "attractions": p.differ(day.sights), "transportation": p.travelsAlike(), "nights": t.stays(p),
	}
}

// within is whether what is done on a day is where the day is, of which names is the list: transportation in all of them, meals and attractions in one,
// accommodation in the last.
func (p plan) within(names func(day) []string) bool {
	return !slices.ContainsFunc(p, func(d day) bool {
		cities := names(d)
		elsewhere := func(text string) bool {
			return !slices.ContainsFunc(cities, func(city string) bool { return strings.Contains(text, city) })
		}
		return cities == nil ||
			d.says(transportation) && slices.ContainsFunc(cities, func(city string) bool { return !strings.Contains(d[transportation], city) }) ||
			slices.ContainsFunc(d.meals(), elsewhere) || slices.ContainsFunc(d.sights(), elsewhere) ||
			d.says(lodging) && (len(cities) == 0 || !strings.Contains(d[lodging], cities[len(cities)-1]))
	})
}

// letters are the cities of a day that leads from one to another, and else the letters of its city: the published code takes a text for a list, so that almost
// anything passes on such days.
func (d day) letters() []string {
	if d.travels() {
		return d.cities()
	}
	return strings.Split(plainCity(d[current]), "")
}

// cities lists the cities of all days; nil: some cannot be read, or the trip does not begin at its origin.
func (t *trip) cities(p plan) (list []string) {
	for i, d := range p {
		cities := d.cities()
		if cities == nil || i == 0 && d.travels() && cities[0] != t.Origin {
			return nil
		}
		list = append(list, cities...)
	}
	return list
}

// route is whether the cities, day by day, make a round trip: from the origin and back, two entries at least in each city between, none of them visited twice,
// and on long trips in the state that is asked for. Of the tables, all cities but the origin are in it.
func (t *trip) route(p plan) bool {
	list := t.cities(p)
	last := len(list) - 1
	if last < 2 || list[0] != list[last] {
		return false
	}
	visited := map[string]bool{}
	for i := 0; i <= last; {
		city, begin := list[i], i
		for i <= last && list[i] == city {
			i++
		}
		inside := begin != 0 && begin != last
		if inside && (visited[city] || i-begin == 1) {
			return false
		}
		visited[city] = true
	}
	for i, city := range list {
		inside := i != 0 && i != last && t.Days > 3
		if city == t.Origin && inside || city != t.Origin && !slices.Contains(t.Known, city) {
			return false
		}
	}
	return true
}

// differ is whether nothing is visited twice.
func (p plan) differ(visited func(day) []string) bool {
	seen := map[string]bool{}
	for _, d := range p {
		for _, text := range visited(d) {
			if seen[text] {
				return false
			}
			seen[text] = true
		}
	}
	return true
}

// What people travel by.
const (
	taxi    = "taxi"
	driving = "self-driving"
	flying  = "flight"
	flightN = "flight number"
)

// by is the first of several kinds that a day's transportation names.
func (d day) by(kinds ...string) string {
	for _, kind := range kinds {
		if strings.Contains(strings.ToLower(d[transportation]), kind) {
			return kind
		}
	}
	return ""
}

// travelsAlike is whether the first day has transportation, and nobody who drives also flies or takes a taxi: the car would be elsewhere.
func (p plan) travelsAlike() bool {
	used := map[string]bool{}
	for _, d := range p {
		used[d.by(taxi, driving, flying)] = true
	}
	return len(p) > 0 && p[0].says(transportation) && !(used[driving] && (used[flying] || used[taxi]))
}

// known is whether everything that has a name is in the tables of its city.
func (t *trip) known(p plan) bool {
	strange := func(places []place) func(string) bool {
		return func(text string) bool { return len(of(places, text)) == 0 }
	}
	return !slices.ContainsFunc(p, func(d day) bool {
		return d.says(transportation) && !t.goes(d) || slices.ContainsFunc(d.meals(), strange(t.Restaurants)) ||
			slices.ContainsFunc(d.sights(), strange(t.Attractions)) || slices.ContainsFunc(d.filled(lodging), strange(t.Lodgings))
	})
}

// goes is whether there is a flight of that number between its cities, or a road. Of other transportation nothing is known.
func (t *trip) goes(d day) bool {
	from, to := d.way()
	switch d.by(flightN, driving, taxi) {
	case flightN:
		return slices.ContainsFunc(t.flights(d), func(f flight) bool { return f.From == from && f.To == to })
	case driving, taxi:
		_, there := t.Roads[road(from, to)]
		return there
	}
	return true
}

// flights are those that have the number which a day's transportation says, whatever cities they connect.
func (t *trip) flights(d day) (found []flight) {
	_, behind, _ := strings.Cut(d[transportation], "Flight Number: ")
	number, _, _ := strings.Cut(behind, ",")
	for _, f := range t.Flights {
		if f.Number == number {
			found = append(found, f)
		}
	}
	return found
}

// stays is whether people stay as long as the one place that they mean asks for.
func (t *trip) stays(p plan) bool {
	for i := 0; i < len(p); {
		first, begin := p[i], i
		for i < len(p) && p[i][lodging] == first[lodging] {
			i++
		}
		if found := of(t.Lodgings, first[lodging]); first.says(lodging) && len(found) == 1 && float64(i-begin) < found[0].Nights {
			return false
		}
	}
	return true
}

// complete is whether nothing is missing: days, cities to visit, transportation between cities, accommodation for each night, meals and an attraction of days
// in one city, and half of all that could be said.
func (t *trip) complete(p plan) bool {
	visited := map[string]bool{}
	for _, city := range t.cities(p) {
		visited[city] = true
	}
	delete(visited, t.Origin)
	said := 0
	for i, d := range p {
		leads := strings.Contains(d[current], "from ")
		if len(d) < len(own(0, 1)) || !d.says(transportation) && (leads || strings.Contains(d[current], "to ")) || !leads && len(d.meals()) < 3 ||
			!leads && !strings.Contains(d[current], " to ") && !d.says(attraction) || i < t.Days-1 && !d.says(lodging) {
			return false
		}
		said += 1 + len(d.filled(own(0, 1)...)) // its number too
	}
	return len(p) == t.Days && len(visited) == t.Cities && said >= 3*t.Days
}

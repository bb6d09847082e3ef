package travel

import (
	"slices"
	"strings"
)

// Checks of common sense, by the names of rates.
const (
	withinCity     = "within_city"
	route          = "route"
	restaurants    = "restaurants"
	attractions    = "attractions"
	noConflict     = "transportation"
	withinSandbox  = "sandbox"
	minimumNights  = "nights"
	complete       = "complete"
	officialInCity = "official" // within_city as the published code computes it
)

// commonsense checks what holds of any trip. The names are those of rates; officialInCity is beside them.
func (t *trip) commonsense(p plan) map[string]bool {
	return map[string]bool{
		withinCity: p.within(day.cities), officialInCity: p.within(day.letters), route: t.route(p), restaurants: p.differ(func(d day) []string { return d.filled(meals()...) }),
		attractions: p.differ(day.sights), noConflict: p.travelsAlike(), withinSandbox: t.known(p), minimumNights: t.stays(p), complete: t.complete(p),
	}
}

// within is whether what is done on a day is where the day is, of which names is the list: transportation in all of them, meals and attractions in one,
// accommodation in the last.
func (p plan) within(names func(day) []string) bool {
	for _, d := range p {
		n := names(d)
		in := func(text string) bool {
			return slices.ContainsFunc(n, func(city string) bool { return strings.Contains(text, city) })
		}
		if n == nil || d.says(transportation) && slices.ContainsFunc(n, func(city string) bool { return !strings.Contains(d[transportation], city) }) {
			return false
		}
		for _, text := range slices.Concat(d.filled(meals()...), d.sights()) {
			if !in(text) {
				return false
			}
		}
		if d.says(lodging) && (len(n) == 0 || !strings.Contains(d[lodging], n[len(n)-1])) {
			return false
		}
	}
	return true
}

// letters are the cities of a day that leads from one to another, and else the letters of its city: the published code takes a text for a list, so that
// almost anything passes on such days.
func (d day) letters() []string {
	if d.travels() {
		return d.cities()
	}
	return strings.Split(plainCity(d[current]), "")
}

// route is whether the cities, day by day, make a round trip: from the origin and back, two entries at least in each city between, none of them visited
// twice, and on long trips in the state that is asked for. Of the tables, all cities but the origin are in it.
func (t *trip) route(p plan) bool {
	var list []string
	for i, d := range p {
		cities := d.cities()
		if cities == nil || i == 0 && d.travels() && cities[0] != t.Origin {
			return false
		}
		list = append(list, cities...)
	}
	last := len(list) - 1
	if last < 2 || list[0] != list[last] {
		return false
	}
	visited := map[string]bool{}
	for i := 0; i <= last; {
		city, begin := list[i], i
		if visited[city] && begin != 0 && begin != last {
			return false
		}
		for i <= last && list[i] == city {
			i++
		}
		if i-begin == 1 && begin != 0 && begin != last {
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
	taxi     = "taxi"
	driving  = "self-driving"
	flying   = "flight"
	numbered = "flight number"
)

// by is what a text says people travel by; empty: nothing known.
func by(text string, kinds ...string) string {
	text = strings.ToLower(text)
	for _, kind := range kinds {
		if strings.Contains(text, kind) {
			return kind
		}
	}
	return ""
}

// travelsAlike is whether the first day has transportation, and nobody who drives also flies or takes a taxi: the car would be elsewhere.
func (p plan) travelsAlike() bool {
	if len(p) == 0 || !p[0].says(transportation) {
		return false
	}
	used := map[string]bool{}
	for _, d := range p {
		for _, text := range d.filled(transportation) {
			used[by(text, taxi, driving, flying)] = true
		}
	}
	return !(used[driving] && (used[flying] || used[taxi]))
}

// known is whether everything that has a name is in the tables of its city.
func (t *trip) known(p plan) bool {
	in := func(places []place) func(string) bool {
		return func(text string) bool { return len(of(places, text)) == 0 }
	}
	for _, d := range p {
		if d.says(transportation) && !t.goes(d) || slices.ContainsFunc(d.filled(meals()...), in(t.Restaurants)) || slices.ContainsFunc(d.sights(), in(t.Attractions)) ||
			slices.ContainsFunc(d.filled(lodging), in(t.Lodgings)) {
			return false
		}
	}
	return true
}

// goes is whether there is a flight of that number between its cities, or a road. Of other transportation nothing is known.
func (t *trip) goes(d day) bool {
	from, to := d.way()
	switch by(d[transportation], numbered, driving, taxi) {
	case numbered:
		return slices.ContainsFunc(t.flights(d), func(f flight) bool { return f.From == from && f.To == to })
	case driving, taxi:
		_, there := t.Roads[road(from, to)]
		return there
	}
	return true
}

// way is where transportation leads from and to: what it says itself, else what the day says.
func (d day) way() (from, to string) {
	if from, to = fromTo(d[transportation]); from == "" {
		from, to = fromTo(d[current])
	}
	return plainCity(from), plainCity(to)
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
		text, begin := p[i][lodging], i
		for i < len(p) && p[i][lodging] == text {
			i++
		}
		if !p[begin].says(lodging) {
			continue
		}
		if found := of(t.Lodgings, text); len(found) == 1 && float64(i-begin) < found[0].Nights {
			return false
		}
	}
	return true
}

// complete is whether nothing is missing: days, cities to visit, transportation between cities, accommodation for each night, meals and an attraction of
// days in one city, and half of all that could be said.
func (t *trip) complete(p plan) bool {
	if len(p) != t.Days || slices.ContainsFunc(p, func(d day) bool { return d == nil }) || !t.visits(p) {
		return false
	}
	said := 0
	for i, d := range p {
		for _, f := range own(0, 1) {
			if _, written := d[f]; !written {
				return false
			}
		}
		leads, arrives := strings.Contains(d[current], "from "), strings.Contains(d[current], "to ")
		switch {
		case (leads || arrives) && !d.says(transportation),
			!leads && !strings.Contains(d[current], " to ") && !d.says(attraction),
			!leads && len(d.filled(meals()...)) < len(meals()),
			i < t.Days-1 && !d.says(lodging):
			return false
		}
		said += 1 + len(d.filled(own(0, 1)...)) // its number too
	}
	return said >= 3*t.Days
}

// visits is whether the trip is to as many cities as asked for, and begins at the origin.
func (t *trip) visits(p plan) bool {
	cities := map[string]bool{}
	for i, d := range p {
		list := d.cities()
		if list == nil || i == 0 && d.travels() && list[0] != t.Origin {
			return false
		}
		for _, city := range list {
			cities[city] = true
		}
	}
	delete(cities, t.Origin)
	return len(cities) == t.Cities
}

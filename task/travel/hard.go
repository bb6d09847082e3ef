package travel

import (
	"math"
	"slices"
	"strings"
)

// asked are the hard checks that apply to a trip.
func (t *trip) asked() (list []string) {
	for check, asked := range map[string]bool{"budget": true, "room_rule": t.Rule != "", "cuisine": len(t.Cuisines) > 0, "room_type": t.Room != "", "transportation_wish": t.Vehicle != ""} {
		if asked {
			list = append(list, check)
		}
	}
	return list
}

// hard checks what the query asks for. What nobody asked for holds or not, as it comes.
func (t *trip) hard(p plan) map[string]bool {
	rooms := p.meant(t.Lodgings, func(d day) []string { return d.filled(lodging) })
	unwanted := map[string]string{"no flight": "Flight", "no self-driving": "Self-driving"}[t.Vehicle]
	return map[string]bool{
		"budget":              t.cost(p) <= t.Budget,
		"cuisine":             t.serves(p),
		"room_rule":           !slices.ContainsFunc(rooms, func(l place) bool { return strings.Contains(l.Rules, "No "+t.Rule) }),
		"room_type":           !slices.ContainsFunc(rooms, func(l place) bool { return !fits(l.Room, t.Room) }),
		"transportation_wish": !slices.ContainsFunc(p, func(d day) bool { return strings.Contains(d[transportation], unwanted) }),
	}
}

// meant are the places that days mean: of several the first.
func (p plan) meant(places []place, texts func(day) []string) (list []place) {
	for _, d := range p {
		for _, text := range texts(d) {
			if found := of(places, text); len(found) > 0 {
				list = append(list, found[0])
			}
		}
	}
	return list
}

// fits is whether a room is of the type that is asked for.
func fits(room, asked string) bool {
	if asked == "not shared room" {
		return room != "Shared room"
	}
	return room == map[string]string{"shared room": "Shared room", "private room": "Private room", "entire room": "Entire home/apt"}[asked]
}

// serves is whether each cuisine that is asked for is that of a meal. The first meal of a day at the origin ends the look at the day, as in the published code.
func (t *trip) serves(p plan) bool {
	meals := p.meant(t.Restaurants, func(d day) []string {
		list := d.meals()
		if home := slices.IndexFunc(list, func(text string) bool { _, city := named(text); return city == t.Origin }); home >= 0 {
			return list[:home]
		}
		return list
	})
	return !slices.ContainsFunc(t.Cuisines, func(c string) bool {
		return !slices.ContainsFunc(meals, func(r place) bool { return strings.Contains(r.Cuisines, c) })
	})
}

// cost is what all people pay for a plan.
func (t *trip) cost(p plan) (sum float64) {
	people := float64(t.People)
	for _, r := range p.meant(t.Restaurants, day.meals) {
		sum += r.Price * people
	}
	for _, l := range p.meant(t.Lodgings, func(d day) []string { return d.filled(lodging) }) {
		sum += l.Price * math.Ceil(people/l.Most)
	}
	for _, d := range p {
		from, to := d.way()
		if from == "" || !d.says(transportation) {
			continue
		}
		km, found := t.Roads[road(from, to)], t.flights(d)
		switch kind := d.by(flightN, driving, taxi); {
		case kind == flightN && len(found) > 0:
			sum += found[0].Price * people
		case kind == driving: // five fit into a car
			sum += math.Trunc(.05*km) * math.Ceil(people/5)
		case kind == taxi: // and four into a taxi
			sum += math.Trunc(km) * math.Ceil(people/4)
		}
	}
	return sum
}

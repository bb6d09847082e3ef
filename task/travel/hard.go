package travel

import (
	"math"
	"slices"
	"strings"
)

// Checks of what the query asks for, by the names of rates.
const (
	budget        = "budget"
	roomRule      = "room_rule"
	cuisine       = "cuisine"
	roomType      = "room_type"
	transportWish = "transportation_wish"
)

// asked are the hard checks that apply to a trip.
func (t *trip) asked() []string {
	list := []string{budget}
	for check, wish := range map[string]bool{roomRule: t.Rule != "", cuisine: len(t.Cuisines) > 0, roomType: t.Room != "", transportWish: t.Transport != ""} {
		if wish {
			list = append(list, check)
		}
	}
	slices.Sort(list)
	return list
}

// hard checks what the query asks for. All checks are made, those too that nothing is asked for by: they hold.
func (t *trip) hard(p plan) map[string]bool {
	lodgings := t.meant(p, t.Lodgings, lodging)
	return map[string]bool{
		budget:  t.cost(p) <= t.Budget,
		cuisine: t.serves(p),
		roomRule: !slices.ContainsFunc(lodgings, func(l place) bool {
			return strings.Contains(l.Rules, "No "+t.Rule)
		}),
		roomType: !slices.ContainsFunc(lodgings, func(l place) bool { return !fits(l.Room, t.Room) }),
		transportWish: !slices.ContainsFunc(p, func(d day) bool {
			return t.Transport == "no flight" && strings.Contains(d[transportation], "Flight") || t.Transport == "no self-driving" && strings.Contains(d[transportation], "Self-driving")
		}),
	}
}

// meant are the places that fields of the days mean: of several the first.
func (t *trip) meant(p plan, places []place, fields ...string) (list []place) {
	for _, d := range p {
		for _, text := range d.filled(fields...) {
			if found := of(places, text); len(found) > 0 {
				list = append(list, found[0])
			}
		}
	}
	return list
}

// fits is whether a room is of the type that is asked for.
func fits(room, asked string) bool {
	switch asked {
	case "not shared room":
		return room != "Shared room"
	case "shared room":
		return room == "Shared room"
	case "private room":
		return room == "Private room"
	}
	return asked == "" || room == "Entire home/apt"
}

// serves is whether each cuisine that is asked for is that of a meal. The first meal of a day at the origin ends the look at the day, as in the published
// code.
func (t *trip) serves(p plan) bool {
	served := map[string]bool{}
	for _, d := range p {
		for _, text := range d.filled(meals()...) {
			if _, city := named(text); city == t.Origin {
				break
			}
			for _, r := range t.meant(plan{{dinner: text}}, t.Restaurants, dinner) {
				for _, c := range t.Cuisines {
					served[c] = served[c] || strings.Contains(r.Cuisines, c)
				}
			}
		}
	}
	return !slices.ContainsFunc(t.Cuisines, func(c string) bool { return !served[c] })
}

// cost is what all people pay for a plan.
func (t *trip) cost(p plan) float64 {
	people, sum := float64(t.People), 0.
	for _, d := range p {
		sum += t.fare(d)
	}
	for _, r := range t.meant(p, t.Restaurants, meals()...) {
		sum += r.Price * people
	}
	for _, l := range t.meant(p, t.Lodgings, lodging) {
		sum += l.Price * math.Ceil(people/l.Most)
	}
	return sum
}

// fare is what transportation costs on a day. Five fit into a car of one's own, four into a taxi.
func (t *trip) fare(d day) float64 {
	from, to := d.way()
	if from == "" || !d.says(transportation) {
		return 0
	}
	people, km := float64(t.People), t.Roads[road(from, to)]
	switch by(d[transportation], numbered, driving, taxi) {
	case numbered:
		if found := t.flights(d); len(found) > 0 {
			return found[0].Price * people
		}
	case driving:
		return math.Trunc(.05*km) * math.Ceil(people/5)
	case taxi:
		return math.Trunc(km) * math.Ceil(people/4)
	}
	return 0
}

package travel

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/task/dataset"
)

// Fields of a day.
const (
	current        = "current_city"
	transportation = "transportation"
	lodging        = "accommodation"
	breakfast      = "breakfast"
	attraction     = "attraction"
	lunch          = "lunch"
	dinner         = "dinner"
)

// own are the fields that agent i of so many writes. One that is alone writes all.
func own(i, agents int) []string {
	fields := []string{current, transportation, lodging, breakfast, attraction, lunch, dinner}
	switch {
	case agents == 1:
		return fields
	case i == 0:
		return fields[:3]
	}
	return fields[3:]
}

// A day has a text for each field that was written; nil: nobody wrote it.
type day map[string]string

// A plan has the days of a trip in their order.
type plan []day

// says is whether a field has something in it.
func (d day) says(field string) bool { return d[field] != "" && d[field] != "-" }

// filled are the values of fields that have something in them.
func (d day) filled(fields ...string) (values []string) {
	for _, f := range fields {
		if d.says(f) {
			values = append(values, d[f])
		}
	}
	return values
}

// meals are what is eaten on a day.
func (d day) meals() []string { return d.filled(breakfast, lunch, dinner) }

// sights are the attractions of a day. Behind the last semicolon stands none.
func (d day) sights() []string {
	list := strings.Split(strings.Join(d.filled(attraction), ""), ";")
	return list[:len(list)-1]
}

// travels is whether the day leads from one city to another.
func (d day) travels() bool { return strings.Contains(d[current], "from") }

// cities are the one that a day is in, or both of a day that leads from one to another; nil: those cannot be read.
func (d day) cities() []string {
	if !d.travels() {
		return []string{plainCity(d[current])}
	}
	if from, to := fromTo(d[current]); from != "" {
		return []string{plainCity(from), plainCity(to)}
	}
	return nil
}

// way is where transportation leads from and to: what it says itself, else what the day says.
func (d day) way() (from, to string) {
	if from, to = fromTo(d[transportation]); from == "" {
		from, to = fromTo(d[current])
	}
	return plainCity(from), plainCity(to)
}

// join is the plan of so many days that texts make together, each of which says the fields of its agent. usable says which of them have days. Unless all have,
// there is no plan.
func join(days int, texts []string) (p plan, usable []bool) {
	p = make(plan, days)
	for i, text := range texts {
		usable = append(usable, p.fill(text, own(i, len(texts))))
	}
	if slices.Contains(usable, false) {
		return nil, usable
	}
	for len(p) > 0 && p[len(p)-1] == nil {
		p = p[:len(p)-1]
	}
	return p, usable
}

// fill adds fields of the days that a text has: {"plan": [{"day": 1, FIELD: text, …}, …]}, whatever stands before and behind the object. A day without a number
// has that of its place; the first of a number counts.
func (p plan) fill(text string, fields []string) (some bool) {
	r, err := dataset.ParseRecord([]byte(text[max(0, min(strings.Index(text, "{"), strings.LastIndex(text, "}"))) : strings.LastIndex(text, "}")+1]))
	if err != nil {
		return false
	}
	list, err := r.Records("plan")
	if err != nil {
		return false
	}
	seen := map[int]bool{}
	for i, one := range list {
		number, err := strconv.Atoi(one.Plain("day"))
		if !one.Has("day") {
			number, err = i+1, nil
		}
		if err != nil || number < 1 || number > len(p) || seen[number] {
			continue
		}
		seen[number], some = true, true
		if p[number-1] == nil {
			p[number-1] = day{}
		}
		for _, f := range fields {
			if one.Has(f) {
				p[number-1][f] = one.Plain(f)
			}
		}
	}
	return some
}

// What texts are taken apart by, as the evaluator of the benchmark does it.
var (
	ways     = regexp.MustCompile(`from\s+(.+?)\s+to\s+([^,]+)`)
	brackets = regexp.MustCompile(`^(.*?)\([^)]*\)`)
	inCity   = regexp.MustCompile(`(.*?),\s*([^,]+)$`)
)

// fromTo are the cities of "from A to B", of which B ends at a comma; empty: there is no such part.
func fromTo(text string) (from, to string) {
	if m := ways.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// plainCity is a city without what stands in brackets behind it.
func plainCity(text string) string {
	if m := brackets.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// named are the name and the city of "Name, City". A text without a comma has a name that no place has.
func named(text string) (name, city string) {
	m := inCity.FindStringSubmatch(text)
	if m == nil {
		return "-", "-"
	}
	return strings.TrimSpace(m[1]), strings.TrimSpace(plainCity(strings.TrimSpace(m[2])))
}

// of are the places that a text may mean: those in its city with its name as part of theirs.
func of(places []place, text string) (found []place) {
	name, city := named(text)
	for _, p := range places {
		if p.City == city && strings.Contains(p.Name, name) {
			found = append(found, p)
		}
	}
	return found
}

package sums

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A scene is a family of stories. In its texts {p} is a person, {q} another one, {They} the person's pronoun, {things} what
// is counted, {n} the number of the step, {a} and {b} the factors of an opening product.
type scene struct {
	open    []string // the first number
	product []string // the first number as a product; none: the scene has no products
	subject string   // of the sentences that follow
	more    []string // verb phrases that add
	less    []string // verb phrases that take away
	things  []string
	ask     []string
}

var people = []struct{ name, pronoun string }{
	{"Ana", "She"},
	{"Ben", "He"},
	{"Eva", "She"},
	{"Leo", "He"},
	{"Mia", "She"},
	{"Tom", "He"},
	{"Sam", "He"},
	{"Zoe", "She"},
}

var scenes = []scene{
	{
		open:    []string{"{p} has {n} {things}.", "{p} starts with {n} {things}.", "There are {n} {things} in the box of {p}."},
		product: []string{"{p} has {a} bags of {b} {things}.", "{p} fills {a} boxes with {b} {things} each."},
		subject: "{They} ",
		more:    []string{"buys {n}", "finds {n}", "gets {n} from {q}", "wins {n}"},
		less:    []string{"loses {n}", "gives {n} to {q}", "sells {n}", "breaks {n}"},
		things:  []string{"pens", "cards", "books", "cups", "shells", "stamps", "balls", "toys"},
		ask:     []string{"How many {things} does {p} have now?", "How many {things} are left?", "How many are there now?"},
	},
	{
		open:    []string{"{p} picks {n} {things}.", "{p} has {n} {things}.", "On the table are {n} {things} of {p}."},
		product: []string{"{p} has {a} bags of {b} {things}.", "{p} picks {b} {things} on each of {a} days."},
		subject: "{They} ",
		more:    []string{"picks {n} more", "buys {n}", "gets {n} from {q}"},
		less:    []string{"eats {n}", "sells {n}", "gives {n} to {q}"},
		things:  []string{"figs", "nuts", "apples", "eggs", "pears"},
		ask:     []string{"How many {things} are left?", "How many {things} does {p} have now?"},
	},
	{
		open:    []string{"A bus has {n} people.", "A train has {n} people."},
		product: []string{"A bus has {a} rows of {b} people.", "A train has {a} cars with {b} people each."},
		subject: "",
		more:    []string{"{n} get on", "{n} more come in"},
		less:    []string{"{n} get off", "{n} leave"},
		things:  []string{"people"},
		ask:     []string{"How many {things} are there now?", "How many {things} are left?"},
	},
	{
		open:    []string{"There are {n} {things} in a tree.", "{p} sees {n} {things}."},
		product: []string{"{a} trees have {b} {things} each."},
		subject: "",
		more:    []string{"{n} come", "{n} more fly in"},
		less:    []string{"{n} fly off", "{n} leave"},
		things:  []string{"birds", "bees"},
		ask:     []string{"How many {things} are left?", "How many {things} are there now?"},
	},
	{
		open:    []string{"A shop has {n} {things}.", "The shop of {p} has {n} {things}."},
		product: []string{"A shop gets {a} boxes of {b} {things}."},
		subject: "It ",
		more:    []string{"buys {n}", "gets {n} more"},
		less:    []string{"sells {n}", "sells {n} to {p}", "gives {n} to {q}"},
		things:  []string{"pens", "cups", "toys", "balls", "books"},
		ask:     []string{"How many {things} are left?", "How many {things} does it have now?"},
	},
	{
		open:    []string{"{p} has {n} coins.", "{p} has saved {n} coins."},
		product: []string{"{p} saves {b} coins on each of {a} days."},
		subject: "{They} ",
		more:    []string{"earns {n}", "finds {n}", "gets {n} from {q}"},
		less:    []string{"pays {n} for a book", "pays {n} for a ball", "spends {n}"},
		things:  []string{"coins"},
		ask:     []string{"How many {things} are left?", "How many {things} does {p} have now?"},
	},
}

// compare holds the stories with the form a, a + d, both together.
var compare = struct{ open, more, less, ask []string }{
	open: []string{"{p} has {n} {things}."},
	more: []string{"{q} has {n} more than {p}.", "{q} has {n} more."},
	less: []string{"{q} has {n} fewer than {p}.", "{q} has {n} fewer."},
	ask:  []string{"How many {things} do they have together?"},
}

// pick returns a random element.
func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// Draw returns a random sum of the given number of steps (at least 1), and what writes a story that asks for its result. The story is written
// on demand, since most of the sums that are drawn for a split belong to another split and need none.
func Draw(rng *rand.Rand, steps int) (Sum, func() string) {
	if steps == 2 && rng.IntN(5) == 0 {
		return drawComparison(rng)
	}
	sc := pick(rng, scenes)
	if rng.IntN(5) == 0 {
		s := drawProduct(rng, steps, "+-")
		return s, drawStory(rng, sc, s)
	}
	s := drawSum(rng, steps, "+-")
	return s, drawStory(rng, sc, s)
}

// drawStory chooses how s is told as a story of the scene.
func drawStory(rng *rand.Rand, sc scene, s Sum) func() string {
	of, open, steps := drawCast(rng, sc.things), pick(rng, sc.open), s.Steps
	product := steps[0].Op == '*'
	if product {
		open, steps = pick(rng, sc.product), steps[1:]
	}
	verbs := make([]string, len(steps))
	for i, step := range steps {
		from := sc.more
		if step.Op == '-' {
			from = sc.less
		}
		verbs[i] = pick(rng, from)
	}
	counts := drawSentences(rng, len(steps))
	ask := pick(rng, sc.ask)
	return func() string {
		text := withNumber(open, s.Start)
		if product {
			text = strings.Replace(strings.Replace(open, "{a}", strconv.Itoa(s.Start), 1), "{b}", strconv.Itoa(s.Steps[0].N), 1)
		}
		for i, at := 0, 0; i < len(counts); i++ {
			phrases := make([]string, counts[i])
			for k := range phrases {
				phrases[k] = withNumber(verbs[at], steps[at].N)
				at++
			}
			text += " " + sc.subject + strings.Join(phrases, " and ") + "."
		}
		return of.fill(text + " " + ask)
	}
}

// drawSentences chooses for each sentence whether it has one or two of n phrases.
func drawSentences(rng *rand.Rand, n int) []int {
	var counts []int
	for n > 0 {
		one := 1
		if n > 1 && rng.IntN(2) == 0 {
			one = 2
		}
		counts, n = append(counts, one), n-one
	}
	return counts
}

// drawComparison draws a problem of two steps in which the first number counts twice.
func drawComparison(rng *rand.Rand) (Sum, func() string) {
	for {
		a, d, op, verbs := 5+rng.IntN(45), 3+rng.IntN(40), byte('+'), compare.more
		if rng.IntN(2) == 0 {
			op, verbs = '-', compare.less
		}
		s := Sum{Start: a, Steps: []Step{{op, d}, {'+', a}}}
		if !s.valid() {
			continue
		}
		open, verb, ask, of := pick(rng, compare.open), pick(rng, verbs), pick(rng, compare.ask), drawCast(rng, scenes[0].things)
		return s, func() string { return of.fill(withNumber(open, a) + " " + withNumber(verb, d) + " " + ask) }
	}
}

// A cast is the people and the thing of a story: what stands in its texts, and what for.
type cast [4][2]string

// drawCast chooses two people and a thing.
func drawCast(rng *rand.Rand, things []string) cast {
	i := rng.IntN(len(people))
	j := (i + 1 + rng.IntN(len(people)-1)) % len(people)
	return cast{{"{p}", people[i].name}, {"{q}", people[j].name}, {"{They}", people[i].pronoun}, {"{things}", pick(rng, things)}}
}

func (c cast) fill(text string) string {
	for _, x := range c {
		text = strings.ReplaceAll(text, x[0], x[1])
	}
	return text
}

// withNumber fills {n}.
func withNumber(text string, n int) string { return strings.ReplaceAll(text, "{n}", strconv.Itoa(n)) }

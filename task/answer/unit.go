package answer

import (
	"regexp"
	"slices"
	"strings"
)

// otherNumbers are words that change the number before them in a way that is not read, with the names of numbers and variables.
var otherNumbers = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
	eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety half third fourth fifth sixth seventh eighth ninth tenth hundredth
	thousandth millionth quadrillion quintillion squared cubed factorial plus minus pi i x y z`)

// What may stand behind a number without changing it: a percent or currency sign, degrees, units with their powers.
const (
	signs     = `[%$€£¥₹¢]?(?:\s*°\s*[CFK]?)?`
	together  = `(?:mm|cm|dm|km|mg|kg|ml|mL|lb|lbs|oz|ft|mi|mph|kph|hr|hrs|min|sec|kWh|MB|GB)?` // units that are set right behind a number
	unitPower = `(?:\s*\^\{?[+-]?[1-9]\}?)?`
	unitWord  = `\(?\pL+(?:[-'’/·.]\pL+)*\.?` + unitPower + `\)?` // km/h, sq., cm^2
)

var (
	unit    = regexp.MustCompile(`^\s*` + signs + together + unitPower + `(?:[\s/]+` + unitWord + `)*$`)
	anyWord = regexp.MustCompile(`\pL+`)
)

// isUnit says whether the rest of a text behind a number leaves the number as it is.
func isUnit(rest string) bool {
	rest = strings.ReplaceAll(rest, "$", "")
	if !unit.MatchString(strings.TrimRight(rest, " \t\r\n.,;:")) {
		return false
	}
	return !slices.ContainsFunc(anyWord.FindAllString(rest, -1), func(word string) bool {
		return slices.Contains(otherNumbers, strings.ToLower(word))
	})
}

// name is what may stand before a number as its name: x = 5, \theta = 30, Total cost = 5, r ≈ 5; ≈ alone too.
var name = regexp.MustCompile(`^\s*(?:\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|mu|rho|sigma|tau|phi|varphi|psi|omega|angle|triangle)\b|[\pL\s'])+` +
	`(?:_(?:\w|\{\w+\}))?(?:\([\w,\s]*\))?\s*[=≈]|^\s*≈`)

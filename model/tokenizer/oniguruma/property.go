package oniguruma

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Oniguruma's tables are of a newer version of Unicode than Go's. These are the characters that they have besides, found by running each
// property over every character.
var newByCategory = map[string]string{
	"Ll": "1C8A A7CD A7DB 10D70-10D85",
	"Lm": "10D4E 10D6F 16D40-16D42 16D6B-16D6C",
	"Lo": "105C0-105F3 10D4A-10D4D 10D4F 10EC2-10EC4 11380-11389 1138B 1138E 11390-113B5 113B7 113D1 113D3 11BC0-11BE0 13460-143FA 16100-1611D " +
		"16D43-16D6A 18CFF 1E5D0-1E5ED 1E5F0 2EBF0-2EE5D",
	"Lu": "1C89 A7CB-A7CC A7DA A7DC 10D50-10D65",
	"Mc": "113B8-113BA 113C2 113C5 113C7-113CA 113CC-113CD 113CF 1171E 1612A-1612C",
	"Mn": "0897 10D69-10D6D 10EFC 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11F5A 1611E-16129 1612D-1612F 1E5EE-1E5EF",
	"Nd": "10D40-10D49 116D0-116E3 11BF0-11BF9 16130-16139 16D70-16D79 1CCF0-1CCF9 1E5F1-1E5FA",
	"Pd": "10D6E",
	"Po": "1B4E-1B4F 1B7F 113D4-113D5 113D7-113D8 11BE1 16D6D-16D6F 1E5FF",
	"Sm": "10D8E-10D8F",
	"So": "2427-2429 2FFC-2FFF 31E4-31E5 31EF 1CC00-1CCEF 1CD00-1CEB3 1F8B2-1F8BB 1F8C0-1F8C1 1FA89 1FA8F 1FABE 1FAC6 1FADC 1FADF 1FAE9 1FBCB-1FBEF",
}

// newByScript is the same for scripts.
var newByScript = map[string]string{
	"Arabic": "0897 10EC2-10EC4 10EFC", "Balinese": "1B4E-1B4F 1B7F", "Cyrillic": "1C89-1C8A", "Egyptian_Hieroglyphs": "13460-143FA",
	"Common": "2427-2429 2FFC-2FFF 31E4-31E5 31EF 1CC00-1CCF9 1CD00-1CEB3 1F8B2-1F8BB 1F8C0-1F8C1 1FA89 1FA8F 1FABE 1FAC6 1FADC 1FADF 1FAE9 1FBCB-1FBEF",
	"Han":    "2EBF0-2EE5D", "Kawi": "11F5A", "Khitan_Small_Script": "18CFF", "Latin": "A7CB-A7CD A7DA-A7DC", "Myanmar": "116D0-116E3",
}

// newMarksOfLetters are new characters of the class alpha that are no letters.
const newMarksOfLetters = "0363-036F 0897 1DD3-1DE6 10D69 10EFC 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113CD 1611E-1612E"

// latinNumbers are numbers that \w has outside of a class only.
var latinNumbers = setOf(span{0xB2, 0xB3}, span{0xB9, 0xB9}, span{0xBC, 0xBE})

// ranges reads a list of characters and spans.
func ranges(list string) set {
	var spans []span
	for part := range strings.FieldsSeq(list) {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		lo, _ := strconv.ParseUint(low, 16, 32)
		hi, _ := strconv.ParseUint(high, 16, 32)
		spans = append(spans, span{rune(lo), rune(hi)})
	}
	return setOf(spans...)
}

// category is one of Unicode's general categories, or all that begin with a letter.
func category(name string) set {
	out := fromTables(unicode.Categories[name])
	for each, list := range newByCategory {
		if strings.HasPrefix(each, name) {
			out = out.or(ranges(list))
		}
	}
	if name == "Mn" {
		return out.and(setOf(span{0x1171E, 0x1171E}).not()) // became Mc
	}
	return out
}

func script(name string) set { return fromTables(unicode.Scripts[name]).or(ranges(newByScript[name])) }

// wordSet is what \w means in a class.
func wordSet() set {
	out := fromTables(unicode.Other_Alphabetic)
	for _, name := range []string{"L", "M", "Nd", "Nl", "Pc"} {
		out = out.or(category(name))
	}
	return out
}

func spaces() set { return fromTables(unicode.White_Space) }

func alphabetic() set {
	return category("L").or(category("Nl")).or(fromTables(unicode.Other_Alphabetic)).or(ranges(newMarksOfLetters))
}

// longNames of general categories.
var longNames = map[string]string{
	"letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt", "modifierletter": "Lm", "otherletter": "Lo",
	"mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me",
	"number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No",
	"punctuation": "P", "punct": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps", "closepunctuation": "Pe",
	"initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po",
	"symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So",
	"separator": "Z", "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp",
}

// property returns the set of \p{name}; case, spaces, - and _ in names do not count.
func property(name string) (set, bool) {
	key := strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(name))
	if long, ok := longNames[key]; ok {
		return category(long), true
	}
	if s, ok := posixClass(key); ok && key != "punct" && key != "word" {
		return s, true
	}
	switch key {
	case "alphabetic":
		return alphabetic(), true
	case "whitespace":
		return spaces(), true
	case "any":
		return set{}.not(), true
	case "word":
		return wordSet().or(latinNumbers), true
	}
	for each := range unicode.Categories {
		if strings.ToLower(each) == key && !slices.Contains([]string{"c", "cn", "cs", "lc"}, key) {
			return category(each), true
		}
	}
	for each := range unicode.Scripts {
		if strings.ToLower(strings.ReplaceAll(each, "_", "")) == key {
			return script(each), true
		}
	}
	return nil, false
}

// posixClass returns the set of [:name:].
func posixClass(name string) (set, bool) {
	switch name {
	case "alpha":
		return alphabetic(), true
	case "alnum":
		return alphabetic().or(category("Nd")), true
	case "ascii":
		return setOf(span{0, 0x7F}), true
	case "blank":
		return category("Zs").or(setOf(span{'\t', '\t'})), true
	case "cntrl":
		return fromTables(unicode.Cc), true
	case "digit":
		return category("Nd"), true
	case "lower":
		return category("Ll").or(fromTables(unicode.Other_Lowercase)), true
	case "upper":
		return category("Lu").or(fromTables(unicode.Other_Uppercase)), true
	case "punct":
		return category("P").or(category("S")), true
	case "space":
		return spaces(), true
	case "xdigit":
		return setOf(span{'0', '9'}, span{'A', 'F'}, span{'a', 'f'}), true
	case "word":
		return wordSet(), true
	}
	return nil, false
}

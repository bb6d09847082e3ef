package classeval

import "slices"

// damage lists items whose reference solutions cannot pass in the sandbox: a reward there says little about a model.
var damage = map[int]string{
	17: "a test takes a day of 2024 for a day in the future",
	25: "a test reads the file that another one wrote",
	48: "a test wants the host name of the authors' machine",
	28: needs("pandas"), 30: needs("numpy"), 34: needs("python-docx"), 38: needs("openpyxl"), 44: needs("gensim and beautifulsoup4"),
	45: needs("Pillow"), 51: needs("numpy"), 52: needs("nltk"), 57: needs("numpy"), 59: needs("numpy"), 69: needs("PyPDF2 and reportlab"),
	93: needs("numpy and gensim"),
}

func needs(packages string) string { return "it needs " + packages }

// Damage says why an item's reference solution cannot pass in the sandbox; empty: it does.
func Damage(id string) string { return damage[number(id)] }

// entangled says whether the tests of an item hand over objects of their own that the class works on, mocks and trees of XML elements: under
// the robust scorer, where class and test are apart, its reference solution does not pass them all.
func entangled(id string) bool { return slices.Contains([]int{84, 98}, number(id)) }

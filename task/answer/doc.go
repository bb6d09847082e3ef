// Package answer reads the final answer of a text. It is pure: texts in, canonical forms out.
//
//	answer.go      an answer, the parsers of maths and of natural-language inference
//	boxed.go       the boxes of a text, \boxed{…}: the last one holds the answer
//	notation.go    one notation for what texts write in many
//	number.go      a number at one place of a text: decimals; fraction.go has fractions and whole numbers with one
//	words.go       number words behind a number
//	unit.go        what may stand before and behind the number in a box
//	text.go        a text in a box, and compared as SQuAD does
//	normal.go      a text without what a reader does not mind
//	line.go        the answer in the last line of a text; label.go has the labels before it, in many languages
//	lastnumber.go  the last number of a text, for models that put nothing in a box
//	visible.go     the text that other agents are shown, with one box at its end
//
// Section numbers without a name are those of docs/maporl.md.
package answer

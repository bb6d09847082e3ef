// Package textstats measures short texts: it is what the writing tasks of MAGRPO (§6) share.
//
//	count.go    words, characters, vocabulary, similarity of content words
//	markers.go  discourse markers in twelve categories, and how many categories a text uses
//	rubric.go   the four gated levels that turn two texts into a [Score]
//	robust.go   signs of gaming, and what each of them cancels
//
// Everything is a pure function of the texts. Two notions of a word are in use, as in the paper's own scorer: for lengths, a
// run of anything but white space; for vocabularies, a run of letters, digits and underscores, lower-cased.
package textstats

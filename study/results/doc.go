// Package results says what came of a study: the raw numbers of every run, and what follows from them.
//
// A [Row] is one run, read from its folder by [Read]. Everything else is a function of the study, its plan and its rows: [Of] puts the rows
// together, and the [Results] print themselves as tables for a terminal, a document, a spreadsheet and a paper, and as a picture. So rows that
// are kept in a file, by [Encode] and [Decode], give the same tables again.
//
//	row.go      the raw numbers of one run
//	read.go     from its folder
//	numbers.go  metrics and curves out of report.json and metrics.jsonl
//	compare.go  means and paired differences
//	tables.go   the tables
//	picture.go  the pictures
package results

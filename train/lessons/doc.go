// Package lessons makes the episodes of a training in which nobody speaks: texts, with what teachers say about them (algorithms fuse and distil).
//
//	lessons.go  what a training asks for: episodes of problems, and what systems make of the held-out texts
//	corpus.go   the texts of problems, and what they are known by
//	teacher.go  a teacher reads the texts once, before the training, and is closed again
//	team.go     or a trained team says the texts itself (algorithm distil)
//	joined.go   or several of its agents do, and the student writes their texts one behind the other
//	cache.go    what it said lies in the run folder
//	rows.go     moved to the student's tokens
//
// Teachers are frozen, so what they say is computed once and kept. A cache belongs to one teacher and one corpus; that of another corpus is refused. At
// most one teacher is in memory beside the student.
package lessons

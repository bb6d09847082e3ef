// Package mutual lets a teacher that is a language model and a student that is a table learn from each other in one run: a bidirectional
// teacher–student, after Gu (arXiv 2401.06603). The equations are parley's, see package [parley/credit/instruction].
//
//	run := mutual.New(world, teacher, settings)
//	for i, p := range problems { err := run.Episode(ctx, p, i) }
//
// At every decision the teacher is shown what it observes of the world and says one word, u ~ π_T(·|desc(s)). The student is shown its own
// observation, and with some probability does what it was told; else it chooses by itself, ε-greedily. It learns after every step:
//
//	Q(s,a) ← Q(s,a) + step·(r + γ·max Q(s',·) − Q(s,a))
//
// The teacher learns on a clock of its own, every so many steps of the student, by ∇ log π_T(u|desc(s))·A_u with
// A_u = r + γ·max_a Q(s',a) − mean_a Q(s,a), of the values before the student's own update, from instructions that were shown and followed.
//
// [TwoWay] is that. In [OneWay] the teacher stays as it is; in [None] it says nothing. Both are the same run with one word changed.
//
//	student.go  the table
//	teacher.go  a policy of an engine
//	run.go      an episode, the two clocks, and the state that a run goes on from
package mutual

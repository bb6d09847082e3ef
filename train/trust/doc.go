// Package trust keeps a run that was made elsewhere from doing things with the user's rights unasked.
//
// A recipe can start programs, send problems, answers and secrets to servers, and write files ([Reach]). A recipe that the user names is
// trusted as a program is that the user starts. The recipe that lies in a run's folder is trusted where parley wrote it for this user: a
// run whose recipe does such things bears a mark, which only the user's own key makes ([Mark]). Any other run is refused before anything
// of it is opened, with the list of what it would do ([Check]).
//
//	reach.go  what recipes do
//	mark.go   marks, and the key that makes them
//	check.go  runs without the right mark
package trust

// Package link carries requests to a server of the Tinker protocol and brings results back: once, however often something is lost on the way, and
// within a deadline.
//
//	client.go   requests: retries that are safe, bounds, the key
//	future.go   results, which are asked for until they are there, or it can be seen that they never will be
//	session.go  a session of the server, kept alive
//	archive.go  adapters that come home
package link

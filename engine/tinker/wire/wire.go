// Package wire has the messages of the Tinker protocol, which training engines on clusters speak: passes and samples in protobuf, the rest in
// JSON.
//
// The protocol publishes no schema. The numbers of the fields are those that its clients send, and shared vectors hold them. The
// messages are few and flat, so they are read and written here by hand:
//
//	field.go    tags, lengths and numbers of protobuf
//	tensor.go   arrays of numbers
//	request.go  what a pass is asked for
//	output.go   what a pass answers
//	sample.go   completions
//	body.go     everything that is JSON
//
// Nothing that is read is trusted: lengths are compared with what is there before anything is made of them. Fields that nobody here has heard
// of are skipped, since every release of the protocol adds some.
package wire

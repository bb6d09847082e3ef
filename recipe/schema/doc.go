// Package schema reads and prints YAML files whose keys are the fields of Go structs.
//
// A struct declares its keys by tags: yaml (the name), default, oneof (the words allowed), min and max (inclusive), zero, unit. What they mean
// stands in a Markdown file, which the method KeyTexts of the struct returns with its name: below the heading "## lr" what lr means. [Of] makes a
// [Field] of each key, the root of all keys. It panics where a text belongs to no key, or a key has two: both are mistakes in the program. A section
// may hold further settings behind its own, whose type is known at run time only: [Field.Hold] lists their keys.
//
// A [Decoder] is strict. An unknown key, a key given twice, a wrong type, a number out of range and a word that is not allowed are errors, and
// all are found in one pass, each with its line and column. Anchors, merge keys, tags and several documents in a file are no part of the
// language. How deep a text nests and how many tokens it has is bounded before the YAML parser sees it.
//
//	root := schema.Of(reflect.TypeFor[Settings]())
//	d := schema.NewDecoder("settings.yaml", "settings")
//	d.Parse(data)
//	d.Decode(root, &settings, []string{"lr=0.1"})
//	err := d.Err() // an [*Errors]
//
// [Print] writes a struct with the meaning of each key as a comment; decoding the print gives the struct again. What the keys mean, which go
// together and which have other names elsewhere is not known here: a [Vocabulary] says it.
package schema

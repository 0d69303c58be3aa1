// Package config reads policy files.
//
// [Parse] reads one file, strictly: a key that is not known, is given twice or
// has a value of another type is an error with its line and column, and all
// errors of a file are reported at once. [Load] finds the files of a workspace
// and [Merge] makes one [Policy] of them. [AddRule] and [RemoveRule] edit a file
// and leave everything else in it as it is, byte for byte.
//
// Two things hold whatever the files say. A file that may not loosen, because
// nobody trusts it or because there is a mistake in it, only tightens: its rules
// that deny and ask count, and nothing of it allows. And no file takes away a
// rule that denies or asks of another.
//
// What can be written is data: the types in document.go. The decoder and the
// JSON Schema are both made from them.
package config

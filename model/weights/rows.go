package weights

// A RowReader is a [Source] that can read some rows of a tensor, so that a large one goes by piece by piece.
type RowReader interface {
	// Rows reads whole rows from row from on into dst; a row is what the first dimension counts.
	Rows(name string, from int, dst []float32) error
}

// A Forgetter is a [Source] that reads its files through the memory of the process. Forget lets that memory go: what is asked
// for later is read again.
type Forgetter interface{ Forget() }

package wasm

import "slices"

// tiny returns a WebAssembly program of a few hundred bytes that stands in Python's place, so that the walls can be tested where the
// interpreter is not. "walls" does what the first letter of its source says, see [walls]; "greedy" asks for more than programs are
// given; everything else is no program.
func tiny(name string) []byte {
	switch name {
	case "walls":
		return module(hostFunctions, walls())
	case "greedy":
		return module(append(slices.Clone(hostFunctions), imported{"env", "system", []byte{i32}, []byte{i32}}), walls())
	}
	return []byte(name)
}

// What follows writes the binary form of WebAssembly 1.0 (webassembly.github.io/spec/core/binary).

const (
	i32 = 0x7f
	i64 = 0x7e
)

// An imported function of the host.
type imported struct {
	module, name    string
	params, results []byte
}

// hostFunctions are the functions of the host that the program calls, by their index.
var hostFunctions = []imported{
	wasiRead:     {"wasi_snapshot_preview1", "fd_read", []byte{i32, i32, i32, i32}, []byte{i32}},
	wasiWrite:    {"wasi_snapshot_preview1", "fd_write", []byte{i32, i32, i32, i32}, []byte{i32}},
	wasiExit:     {"wasi_snapshot_preview1", "proc_exit", []byte{i32}, nil},
	wasiOpen:     {"wasi_snapshot_preview1", "path_open", []byte{i32, i32, i32, i32, i32, i64, i64, i32, i32}, []byte{i32}},
	wasiStat:     {"wasi_snapshot_preview1", "fd_fdstat_get", []byte{i32, i32}, []byte{i32}},
	wasiEnviron:  {"wasi_snapshot_preview1", "environ_sizes_get", []byte{i32, i32}, []byte{i32}},
	wasiAccept:   {"wasi_snapshot_preview1", "sock_accept", []byte{i32, i32, i32}, []byte{i32}},
	wasiSend:     {"wasi_snapshot_preview1", "sock_send", []byte{i32, i32, i32, i32, i32}, []byte{i32}},
	wasiMakeDir:  {"wasi_snapshot_preview1", "path_create_directory", []byte{i32, i32, i32}, []byte{i32}},
	wasiUnlink:   {"wasi_snapshot_preview1", "path_unlink_file", []byte{i32, i32, i32}, []byte{i32}},
	wasiReadlink: {"wasi_snapshot_preview1", "path_readlink", []byte{i32, i32, i32, i32, i32, i32}, []byte{i32}},
}

const (
	wasiRead = iota
	wasiWrite
	wasiExit
	wasiOpen
	wasiStat
	wasiEnviron
	wasiAccept
	wasiSend
	wasiMakeDir
	wasiUnlink
	wasiReadlink
)

// module makes a program of one function, with one page of memory.
func module(imports []imported, start code) []byte {
	types, uses := [][]byte{}, [][]byte{}
	for i, f := range imports {
		types = append(types, slices.Concat([]byte{0x60}, vector(f.params), vector(f.results)))
		uses = append(uses, slices.Concat(vector([]byte(f.module)), vector([]byte(f.name)), []byte{0x00}, number(i)))
	}
	types = append(types, []byte{0x60, 0, 0})
	locals := []byte{1, 4, i32}
	body := slices.Concat(locals, start, []byte{0x0b})
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id   byte
		data []byte
	}{
		{1, vectorOf(types)},
		{2, vectorOf(uses)},
		{3, []byte{1, byte(len(imports))}}, // the function's type is the last
		{5, []byte{1, 0, 1}},               // one memory of at least one page
		{7, vectorOf([][]byte{append(vector([]byte("memory")), 2, 0), append(vector([]byte("_start")), 0, byte(len(imports)))})}, // exports
		{10, slices.Concat([]byte{1}, number(len(body)), body)},
		{11, slices.Concat([]byte{1, 0}, constant(pathAt), []byte{0x0b}, vector([]byte(paths)))},
	} {
		out = append(append(out, s.id), vector(s.data)...)
	}
	return out
}

// number is an unsigned number, vector bytes behind their number, vectorOf parts behind theirs.
func number(n int) (out []byte) {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

func vector(data []byte) []byte { return append(number(len(data)), data...) }

func vectorOf(parts [][]byte) []byte { return append(number(len(parts)), slices.Concat(parts...)...) }

// code is a sequence of instructions.
type code = []byte

// constant pushes a number that is not negative.
func constant(n int) code {
	out := code{0x41}
	for ; n >= 0x40; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

func call(function int, arguments ...code) code {
	return slices.Concat(slices.Concat(arguments...), code{0x10}, number(function))
}

func get(local int) code { return code{0x20, byte(local)} }

func set(local int, value code) code { return slices.Concat(value, code{0x21, byte(local)}) }

func load(at code) code { return slices.Concat(at, code{0x28, 2, 0}) }

func store(at, value code) code { return slices.Concat(at, value, code{0x36, 2, 0}) }

func storeByte(at, value code) code { return slices.Concat(at, value, code{0x3a, 0, 0}) }

func binary(op byte, a, b code) code { return slices.Concat(a, b, code{op}) }

func add(a, b code) code   { return binary(0x6a, a, b) }
func sub(a, b code) code   { return binary(0x6b, a, b) }
func equal(a, b code) code { return binary(0x46, a, b) }
func not(a code) code      { return append(slices.Clone(a), 0x45) }

func drop(a code) code { return append(slices.Clone(a), 0x1a) }

// when runs body where the condition holds.
func when(condition code, body ...code) code {
	return slices.Concat(condition, code{0x04, 0x40}, slices.Concat(body...), code{0x0b})
}

// loop runs body, and again as long as the condition holds.
func loop(condition code, body ...code) code {
	return slices.Concat(code{0x03, 0x40}, slices.Concat(body...), condition, code{0x0d, 0, 0x0b})
}

var (
	always     = constant(1)
	trap       = code{0x00}
	memorySize = code{0x3f, 0}
)

func grow(pages code) code { return append(slices.Clone(pages), 0x40, 0) }

package wasm

import "slices"

// Where the tiny program keeps things in its memory.
const (
	bufferAt = 0  // a buffer's address and length, as fd_read and fd_write take it
	countAt  = 8  // how many bytes they took
	foundAt  = 16 // what else the host tells
	digitsAt = 48 // where the text of a number ends, a line break included
	sourceAt = 64
	pathAt   = 512
	junkAt   = 1024
	junk     = 4096 // bytes
	blankAt  = 8192
)

// paths are what the program tries to reach: a file of the host, a new file, and the channel of joined programs.
const (
	paths      = "/etc/passwd" + "channel"
	passwdPath = len("/etc/passwd")
)

var (
	absolute    = []code{constant(pathAt), constant(passwdPath)}
	relative    = []code{constant(pathAt + 1), constant(passwdPath - 1)}
	channelPath = []code{constant(pathAt + passwdPath), constant(len("channel"))}
)

// The locals of the program.
const (
	letter = iota
	fd
	count
	place
)

// mostFD is the number of descriptors that are tried.
const mostFD = 64

// walls reads its job to the end, as Python's driver does, and then does what the first letter of the source says. What it counts it
// prints: of a wall that holds, 0.
func walls() code {
	const source = len(`{"source":"`)
	read := func(at, most int) code {
		return slices.Concat(buffer(constant(at), constant(most)), drop(call(wasiRead, constant(0), constant(bufferAt), constant(1), constant(countAt))))
	}
	do := func(letters string, body ...code) code {
		return when(equal(get(letter), constant(int(letters[0]))), body...)
	}
	return slices.Concat(
		read(sourceAt, 32),
		loop(load(constant(countAt)), read(junkAt, junk)),
		set(letter, slices.Concat(constant(sourceAt+source), code{0x2d, 0, 0})),

		do("answer", say(constant(42))),
		do("exit", call(wasiExit, constant(7))),
		do("trap", trap),
		do("loop", loop(always)),
		do("out", loop(always, write(constant(1), junkAt, junk))),
		do("Error", loop(always, write(constant(2), junkAt, junk))),
		do("bytes", write(constant(1), blankAt, 1000)),
		do("Bytes", write(constant(1), blankAt, 1001)),
		do("memory", loop(not(equal(grow(memorySize), code{0x41, 0x7f}))), say(memorySize)), // doubled until it is refused with -1
		do("input", read(junkAt, junk), say(load(constant(countAt)))),
		do("variables", drop(call(wasiEnviron, constant(foundAt), constant(foundAt+4))), say(load(constant(foundAt)))),
		do("descriptors", each(3, call(wasiStat, get(fd), constant(junkAt)))),
		do("files", each(0, openAt(absolute, 0), openAt(relative, 0), call(wasiReadlink, get(fd), absolute[0], absolute[1], constant(junkAt), constant(64), constant(foundAt)))),
		do("new files", each(0, openAt(relative, 1), call(wasiMakeDir, get(fd), relative[0], relative[1]), call(wasiUnlink, get(fd), relative[0], relative[1]))),
		do("sockets", each(0, call(wasiAccept, get(fd), constant(0), constant(foundAt)), call(wasiSend, get(fd), constant(bufferAt), constant(1), constant(0), constant(foundAt)))),

		do("Ask", openChannel, write(get(place), junkAt, 5), readChannel, say(load(constant(countAt)))),
		do("Reply", openChannel, readChannel, write(get(place), junkAt, 9)),
		do("Wait", openChannel, loop(load(constant(countAt)), readChannel), say(constant(0))),
	)
}

// buffer describes a part of memory to the host.
func buffer(at, length code) code {
	return slices.Concat(store(constant(bufferAt), at), store(constant(bufferAt+4), length))
}

// write writes a part of memory to a descriptor.
func write(to code, at, length int) code {
	return slices.Concat(buffer(constant(at), constant(length)), drop(call(wasiWrite, to, constant(bufferAt), constant(1), constant(countAt))))
}

// say prints a number in a line.
func say(n code) code {
	const ten = 10
	return slices.Concat(
		set(count, n),
		set(place, constant(digitsAt-1)), storeByte(get(place), constant('\n')),
		loop(get(count),
			set(place, sub(get(place), constant(1))),
			storeByte(get(place), add(constant('0'), binary(0x70, get(count), constant(ten)))), // remainder
			set(count, binary(0x6e, get(count), constant(ten))),                                // quotient
		),
		buffer(get(place), sub(constant(digitsAt), get(place))),
		drop(call(wasiWrite, constant(1), constant(bufferAt), constant(1), constant(countAt))),
	)
}

// each tries calls with every descriptor from first on, in the local fd, and prints how many succeed.
func each(first int, tries ...code) code {
	var all code
	for _, try := range tries {
		all = slices.Concat(all, when(not(try), set(count, add(get(count), constant(1)))))
	}
	return slices.Concat(
		set(fd, constant(first)),
		loop(binary(0x49, get(fd), constant(mostFD)), all, set(fd, add(get(fd), constant(1)))), // less than
		say(get(count)),
	)
}

// openAt opens a path below the descriptor fd for reading and writing, the rights 1<<1 and 1<<6; flags of 1 make it.
func openAt(path []code, flags int) code {
	return call(wasiOpen, get(fd), constant(0), path[0], path[1], constant(flags), code{0x42, 0xc2, 0x00}, code{0x42, 0}, constant(0), constant(foundAt))
}

// openChannel leaves the descriptor of the channel in the local place: the folder that holds it is the first after the standard streams.
var openChannel = slices.Concat(set(fd, constant(3)), when(openAt(channelPath, 0), trap), set(place, load(constant(foundAt))))

// readChannel reads what is there.
var readChannel = slices.Concat(buffer(constant(junkAt), constant(junk)), drop(call(wasiRead, get(place), constant(bufferAt), constant(1), constant(countAt))))

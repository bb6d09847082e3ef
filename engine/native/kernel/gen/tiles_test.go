package main

import (
	"fmt"
	"testing"
)

// TestTileEncodings: the bytes that GNU as gives.
func TestTileEncodings(t *testing.T) {
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{configureTiles.memoryBytes("AX"), "c4 e2 78 49 00"},
		{loadTile.rowsBytes(4, "SI", "R8"), "c4 a2 7b 4b 24 06"},
		{passTile.rowsBytes(4, "SI", "R9"), "c4 a2 79 4b 24 0e"},
		{storeTile.rowsBytes(0, "DX", "CX"), "c4 e2 7a 4b 04 0a"},
		{storeTile.rowsBytes(2, "R15", "R8"), "c4 82 7a 4b 14 07"},
		{dotTile.registersBytes(0, 4, 6), "c4 e2 4a 5c c4"},
		{dotTile.registersBytes(3, 5, 7), "c4 e2 42 5c dd"},
	} {
		if got := fmt.Sprintf("% x", c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for want, write := range map[string]func(a *asm){
		"\tBYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0 // TILERELEASE\n":   func(a *asm) { a.releaseTiles() },
		"\tBYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $0xd8 // TILEZERO TMM3\n": func(a *asm) { a.clearTile(3) },
	} {
		a := &asm{}
		if write(a); a.String() != want {
			t.Errorf("%q, want %q", a.String(), want)
		}
	}
}

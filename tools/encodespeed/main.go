// Command encodespeed times Tokenizer.Encode for bench/tokenizer: it reads texts once, and encodes all of them every time it is
// asked to, so that the asker can alternate with another library.
//
//	encodespeed tokenizer.json texts.json
//
// texts.json is a JSON array of strings. For every line of stdin it prints one JSON line: the seconds that encoding took, how many
// ids came out, and a checksum of them (FNV-1a over the ids as little-endian 32-bit numbers).
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"time"

	"parley/model/tokenizer"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: encodespeed tokenizer.json texts.json")
	}
	t, err := tokenizer.Load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		log.Fatalf("%s: %v", os.Args[2], err)
	}
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		seconds, ids := encode(t, texts)
		fmt.Printf("{\"seconds\":%g,\"ids\":%d,\"checksum\":%d}\n", seconds, len(ids), checksum(ids))
	}
}

// encode returns the time that encoding takes, and all ids. Joining them is not timed.
func encode(t *tokenizer.Tokenizer, texts []string) (float64, []int) {
	encoded := make([][]int, len(texts))
	begun := time.Now()
	for i, text := range texts {
		var err error
		if encoded[i], err = t.Encode(text, false); err != nil {
			log.Fatal(err)
		}
	}
	seconds := time.Since(begun).Seconds()
	var ids []int
	for _, e := range encoded {
		ids = append(ids, e...)
	}
	return seconds, ids
}

func checksum(ids []int) uint64 {
	h := fnv.New64a()
	for _, id := range ids {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(id)))
	}
	return h.Sum64()
}

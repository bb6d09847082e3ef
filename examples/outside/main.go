// Command outside is a module that is not parley's and imports it. It builds where parley has a path that can be fetched: see `make rehome`.
package main

import (
	"fmt"
	"log"

	"parley/credit"
)

func main() {
	list, err := credit.Advantages([]float64{0, 1, 1, 0}, credit.ModeMean, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list)
}

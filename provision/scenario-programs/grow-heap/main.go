// grow-heap keeps an amount of memory in the heap of Go's runtime and makes garbage beside it, for ever.
//
//	grow-heap MIB
//
// The runtime does not know the limit of its container. It collects garbage when the heap has doubled, or, with the
// variable GOMEMLIMIT, as often as it takes to stay below that. Exit status: 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

const mebibyte = 1 << 20

// garbage makes the compiler put what is thrown away into the heap.
var garbage []byte

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: grow-heap MIB"))
	}
	amount, err := strconv.ParseUint(os.Args[1], 10, 16)
	if err != nil {
		fail(err)
	}
	kept := make([][]byte, amount)
	for each := range kept {
		kept[each] = block()
	}
	fmt.Printf("grow-heap: keeps %d MiB\n", len(kept))
	for {
		garbage = block()
		kept[0][0]++
		time.Sleep(5 * time.Millisecond)
	}
}

// block is memory that the kernel has to give.
func block() []byte {
	memory := make([]byte, mebibyte)
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	return memory
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "grow-heap:", err)
	os.Exit(2)
}

// leave-file writes a file and ends: what a short job leaves behind.
//
//	leave-file FILE BYTES
//
// Exit status: 1 when the file cannot be written, 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if len(os.Args) != 3 {
		fail(2, fmt.Errorf("usage: leave-file FILE BYTES"))
	}
	size, err := strconv.ParseUint(os.Args[2], 10, 24)
	if err != nil {
		fail(2, err)
	}
	if err := os.WriteFile(os.Args[1], make([]byte, size), 0o644); err != nil {
		fail(1, err)
	}
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "leave-file:", err)
	os.Exit(status)
}

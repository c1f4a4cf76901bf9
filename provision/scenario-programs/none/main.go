// none stands where an init process could stand, and is none: it becomes the program that it is given.
//
//	none -- PROGRAM [ARGUMENT…]
package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	if len(os.Args) < 3 || os.Args[1] != "--" {
		fmt.Fprintln(os.Stderr, "usage: none -- PROGRAM [ARGUMENT…]")
		os.Exit(2)
	}
	program := os.Args[2:]
	fmt.Fprintf(os.Stderr, "none: %s: %v\n", program[0], syscall.Exec(program[0], program, os.Environ()))
	os.Exit(1)
}

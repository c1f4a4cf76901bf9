// eat-above-child is three processes: one that waits, its child that eats, and the child of that one, which sleeps.
//
//	eat-above-child wait MIB     starts `eat`, collects whoever ends below it, and lives
//	eat-above-child eat MIB      starts `sleep` and takes so much memory, one MiB every 50 ms
//	eat-above-child sleep
//
// Exit status: 1 when a child cannot be started, 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

const mebibyte = 1 << 20

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "wait":
		start("eat", os.Args[2])
		for {
			// As the first process of its container it is the parent of orphans too.
			if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
				time.Sleep(time.Hour)
			}
		}
	case len(os.Args) == 3 && os.Args[1] == "eat":
		amount, err := strconv.ParseUint(os.Args[2], 10, 16)
		if err != nil {
			fail(2, err)
		}
		start("sleep")
		eat(int(amount))
	case len(os.Args) == 2 && os.Args[1] == "sleep":
	default:
		fail(2, fmt.Errorf("usage: eat-above-child wait MIB"))
	}
	for {
		time.Sleep(time.Hour)
	}
}

func start(words ...string) {
	self, err := os.Executable()
	if err != nil {
		fail(1, err)
	}
	if err := exec.Command(self, words...).Start(); err != nil {
		fail(1, err)
	}
}

func eat(amount int) {
	for taken := 0; taken < amount; taken++ {
		memory, err := syscall.Mmap(-1, 0, mebibyte, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			fail(1, err)
		}
		for at := 0; at < len(memory); at += os.Getpagesize() {
			memory[at] = 1
		}
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Printf("eat-above-child: holds %d MiB\n", amount)
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "eat-above-child:", err)
	os.Exit(status)
}

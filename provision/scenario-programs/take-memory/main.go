// take-memory takes an amount of one kind of memory and holds it.
//
//	take-memory anonymous MIB      pages of its own
//	take-memory shared MIB         pages that it could share with others
//	take-memory file MIB           pages of the file /file/taken, which it writes
//	take-memory tmpfs MIB          pages of the file /tmpfs/taken
//
// Exit status: 1 when the memory cannot be taken, 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
)

const mebibyte = 1 << 20

func main() {
	if len(os.Args) != 3 {
		fail(2, fmt.Errorf("usage: take-memory anonymous|shared|file|tmpfs MIB"))
	}
	amount, err := strconv.ParseUint(os.Args[2], 10, 16)
	if err != nil {
		fail(2, err)
	}
	switch os.Args[1] {
	case "anonymous":
		err = touch(int(amount), syscall.MAP_PRIVATE)
	case "shared":
		err = touch(int(amount), syscall.MAP_SHARED)
	case "file", "tmpfs":
		err = fill(int(amount), "/"+os.Args[1]+"/taken")
	default:
		fail(2, fmt.Errorf("there is no memory of the kind %q", os.Args[1]))
	}
	if err != nil {
		fail(1, err)
	}
	fmt.Printf("take-memory: holds %d MiB\n", amount)
	for {
		time.Sleep(time.Hour)
	}
}

func touch(amount, kind int) error {
	memory, err := syscall.Mmap(-1, 0, amount*mebibyte, syscall.PROT_READ|syscall.PROT_WRITE, kind|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	return nil
}

func fill(amount int, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	block := make([]byte, mebibyte)
	for written := 0; written < amount; written++ {
		if _, err := file.Write(block); err != nil {
			return err
		}
	}
	return file.Sync()
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "take-memory:", err)
	os.Exit(status)
}

// ignore-status runs a program and ends with status 0, whatever became of that, as `PROGRAM; sleep 3; true` of a shell does.
//
//	ignore-status PAUSE PROGRAM [ARGUMENT…]    PAUSE (3s) is between the end of the program and its own
//
// Exit status: 2 for wrong arguments, 1 when the program cannot be started.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fail(2, "usage: ignore-status PAUSE PROGRAM [ARGUMENT…]")
	}
	pause, err := time.ParseDuration(os.Args[1])
	if err != nil {
		fail(2, "%v", err)
	}
	program := exec.Command(os.Args[2], os.Args[3:]...)
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	err = program.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		fail(1, "%v", err)
	}
	fmt.Printf("ignore-status: %s: %s; ending with 0\n", os.Args[2], program.ProcessState)
	time.Sleep(pause)
}

func fail(status int, format string, values ...any) {
	fmt.Fprintf(os.Stderr, "ignore-status: "+format+"\n", values...)
	os.Exit(status)
}

// end-late takes its time to end once it is asked to.
//
//	end-late DURATION [STATUS]    ends with STATUS (0) so long (300ms, 45s) after the first SIGTERM or SIGINT
//
// It takes no notice of later ones. Exit status: 2 for wrong arguments.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(fmt.Errorf("usage: end-late DURATION [STATUS]"))
	}
	late, err := time.ParseDuration(os.Args[1])
	if err != nil || late < 0 {
		fail(fmt.Errorf("%q is no time to end after", os.Args[1]))
	}
	status := uint64(0)
	if len(os.Args) == 3 {
		if status, err = strconv.ParseUint(os.Args[2], 10, 8); err != nil {
			fail(err)
		}
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
	fmt.Printf("end-late: pid %d started\n", os.Getpid())
	fmt.Printf("end-late: got %s, ends in %s\n", <-asked, late)
	time.Sleep(late)
	fmt.Printf("end-late: exit %d\n", status)
	os.Exit(int(status))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "end-late:", err)
	os.Exit(2)
}

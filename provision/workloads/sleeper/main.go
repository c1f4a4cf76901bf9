// sleeper waits to be stopped.
//
//	sleeper [--after D [--exit-code N]] [--ignore-term]
//
// It exits 0 on SIGTERM and SIGINT; with --after it exits by itself after that time with --exit-code; with
// --ignore-term only SIGKILL (or --after) ends it. Wrong flags: exit 2.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	after := flag.Duration("after", -1, "exit by itself after this time; negative = never")
	code := flag.Int("exit-code", 0, "exit status of --after")
	ignore := flag.Bool("ignore-term", false, "say that SIGTERM or SIGINT came, and go on")
	flag.Parse()
	if flag.NArg() > 0 || *code < 0 || *code > 255 {
		fmt.Fprintln(os.Stderr, "sleeper: usage: sleeper [--after D [--exit-code N]] [--ignore-term], N from 0 to 255")
		os.Exit(2)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	var done <-chan time.Time
	if *after >= 0 {
		done = time.After(*after)
	}
	fmt.Printf("sleeper: pid %d started\n", os.Getpid())
	for {
		select {
		case <-done:
			fmt.Printf("sleeper: exit %d after %s\n", *code, *after)
			os.Exit(*code)
		case got := <-stop:
			if !*ignore {
				fmt.Printf("sleeper: got %s, exit 0\n", got)
				return
			}
			fmt.Printf("sleeper: got %s, ignored\n", got)
		}
	}
}

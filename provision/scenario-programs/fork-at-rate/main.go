// fork-at-rate starts children at a rate, and waits for each that ends.
//
//	fork-at-rate PER-SECOND LIFETIME [MOST]    each child lives so long (300ms, 2s); after MOST of them it starts no more
//	fork-at-rate live LIFETIME                 is such a child
//
// It prints a line when it has started MOST, and goes on living. Exit status: 11 (EAGAIN) when the kernel refuses a child,
// 2 for wrong arguments.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 || len(os.Args) > 4 {
		fail(2, errors.New("usage: fork-at-rate PER-SECOND LIFETIME [MOST]"))
	}
	lifetime, err := time.ParseDuration(os.Args[2])
	if err != nil {
		fail(2, err)
	}
	if os.Args[1] == "live" {
		time.Sleep(lifetime)
		return
	}
	rate := number(os.Args[1])
	if rate == 0 {
		fail(2, errors.New("no child a second is no rate"))
	}
	most := uint64(0)
	if len(os.Args) == 4 {
		most = number(os.Args[3])
	}
	self, err := os.Executable()
	if err != nil {
		fail(1, err)
	}
	fmt.Printf("fork-at-rate: %d a second, each lives %s\n", rate, lifetime)
	start(self, lifetime, time.NewTicker(time.Second/time.Duration(rate)), most)
	fmt.Printf("fork-at-rate: started %d\n", most)
	for {
		time.Sleep(time.Hour)
	}
}

// start starts one child a tick, so many of them, or for ever when that is 0.
func start(self string, lifetime time.Duration, ticks *time.Ticker, most uint64) {
	for started := uint64(0); most == 0 || started < most; started++ {
		<-ticks.C
		child := exec.Command(self, "live", lifetime.String())
		if err := child.Start(); err != nil {
			if errors.Is(err, syscall.EAGAIN) {
				fail(int(syscall.EAGAIN), fmt.Errorf("the kernel refused child %d: %w", started+1, err))
			}
			fail(1, err)
		}
		go func() { _ = child.Wait() }() // how it ends is its own affair
	}
}

func number(text string) uint64 {
	value, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		fail(2, err)
	}
	return value
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "fork-at-rate:", err)
	os.Exit(status)
}

// memory-eater takes memory step by step, so that somebody kills it, or does not.
//
//	memory-eater [--step 20Mi] [--pause 100ms] [--ceiling 0] [--hold forever|exit|DURATION] [--child] [--touch=false]
//
// Memory comes straight from mmap, outside the Go heap: the garbage collector neither counts nor returns it. Each
// step prints one line. Exit status: 0 after --hold, on SIGTERM and SIGINT; 2 for wrong flags; 12 (ENOMEM) when
// the kernel refuses a mapping.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"whodunit/workloads/internal/size"
)

type options struct {
	step, ceiling size.Bytes
	pause         time.Duration
	hold          string
	child, touch  bool
}

func parseFlags() options {
	o := options{step: 20 << 20}
	flag.Var(&o.step, "step", "memory taken in one step")
	flag.DurationVar(&o.pause, "pause", 100*time.Millisecond, "pause between two steps")
	flag.Var(&o.ceiling, "ceiling", "stop eating at this amount; 0 = never")
	flag.StringVar(&o.hold, "hold", "forever", "what to do at the ceiling: forever, exit, or a duration, then exit 0")
	flag.BoolVar(&o.child, "child", false, "eat in a child process; this process reports the fate of the child and stays alive")
	flag.BoolVar(&o.touch, "touch", true, "write to each page; false only reserves address space")
	flag.Parse()
	if flag.NArg() > 0 || o.step <= 0 {
		fail("--step must be more than 0 and there are no arguments, got %q", flag.Args())
	}
	if _, err := o.holdTime(); err != nil {
		fail("--hold: %v", err)
	}
	return o
}

// holdTime returns how long to keep the memory; negative means forever.
func (o options) holdTime() (time.Duration, error) {
	switch o.hold {
	case "forever":
		return -1, nil
	case "exit":
		return 0, nil
	}
	return time.ParseDuration(o.hold)
}

func main() {
	o := parseFlags()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if o.child {
		watchChild(stop)
		return
	}
	eat(o, stop)
}

func eat(o options, stop <-chan os.Signal) {
	total := size.Bytes(0)
	for o.ceiling == 0 || total < o.ceiling {
		amount := o.step
		if o.ceiling > 0 && total+amount > o.ceiling {
			amount = o.ceiling - total
		}
		if err := take(int(amount), o.touch); err != nil {
			fmt.Printf("memory-eater: the kernel refused %s more after %s: %v\n", amount, total, err)
			os.Exit(int(syscall.ENOMEM))
		}
		total += amount
		fmt.Printf("memory-eater: pid %d holds %s%s\n", os.Getpid(), total, map[bool]string{true: "", false: " (reserved, not touched)"}[o.touch])
		wait(o.pause, stop)
	}
	hold, _ := o.holdTime()
	fmt.Printf("memory-eater: ceiling %s reached, hold %s\n", o.ceiling, o.hold)
	wait(hold, stop)
}

// take maps memory that is never given back and, when asked, makes the kernel back each page.
func take(amount int, touch bool) error {
	memory, err := syscall.Mmap(-1, 0, amount, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	if touch {
		for at := 0; at < len(memory); at += os.Getpagesize() {
			memory[at] = 1
		}
	}
	return nil
}

// wait sleeps (forever when negative) and ends the program on a stop signal.
func wait(limit time.Duration, stop <-chan os.Signal) {
	var done <-chan time.Time
	if limit >= 0 {
		done = time.After(limit)
	}
	select {
	case <-done:
	case got := <-stop:
		fmt.Printf("memory-eater: got %s, exit 0\n", got)
		os.Exit(0)
	}
}

// watchChild runs this program again without --child and outlives it, like a shell or a supervisor as PID 1.
func watchChild(stop <-chan os.Signal) {
	args := []string{}
	flag.Visit(func(f *flag.Flag) {
		if f.Name != "child" {
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})
	// By its real path: through /proc/self/exe the kernel would call the child "exe" in an OOM report.
	self, err := os.Executable()
	if err != nil {
		fail("cannot find my own program: %v", err)
	}
	child := exec.Command(self, args...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fail("cannot start the child: %v", err)
	}
	fmt.Printf("memory-eater: parent %d started child %d\n", os.Getpid(), child.Process.Pid)
	ended := make(chan struct{})
	go func() {
		_ = child.Wait() // the fate is read from ProcessState below
		close(ended)
	}()
	select {
	case <-ended:
		fmt.Printf("memory-eater: child %d ended: %s; parent lives on\n", child.Process.Pid, child.ProcessState)
		wait(-1, stop)
	case got := <-stop:
		fmt.Printf("memory-eater: got %s, stopping the child\n", got)
		_ = child.Process.Signal(syscall.SIGTERM) // it may be gone already
		<-ended
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "memory-eater: "+format+"\n", values...)
	os.Exit(2)
}

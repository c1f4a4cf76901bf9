// pause is the init process of a pod sandbox: it holds the namespaces, collects zombies when the pod shares its PID
// namespace, and exits 0 on SIGTERM or SIGINT. It takes no arguments (containerd passes none).
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	fmt.Println("pause: holding the sandbox")
	for got := range signals {
		if got != syscall.SIGCHLD {
			return
		}
		reapZombies()
	}
}

// reapZombies collects every dead child; several deaths may hide behind one SIGCHLD.
func reapZombies() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}

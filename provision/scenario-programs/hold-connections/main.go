// hold-connections opens TCP connections and keeps them, without a word over any.
//
//	hold-connections COUNT                  to itself, over the loopback: each takes two file descriptors
//	hold-connections COUNT HOST:PORT        to somebody else
//	hold-connections accept HOST:PORT       is that somebody: it accepts all, and keeps them
//
// It prints a line when it has all of them, and SIGTERM ends it with 0. Exit status: 24 (EMFILE) or 23 (ENFILE) when the
// kernel has no file descriptor for one more, 1 when somebody refuses one, 2 for wrong arguments.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	switch {
	case len(os.Args) == 3 && os.Args[1] == "accept":
		server := listen(os.Args[2])
		fmt.Printf("hold-connections: accepts at %s\n", server.Addr())
		go accept(server)
	case len(os.Args) == 2, len(os.Args) == 3:
		count, err := strconv.ParseUint(os.Args[1], 10, 24)
		if err != nil {
			fail(2, err)
		}
		hold(count, os.Args[2:])
	default:
		fail(2, errors.New("usage: hold-connections COUNT [HOST:PORT] | hold-connections accept HOST:PORT"))
	}
	fmt.Printf("hold-connections: got %s, exit 0\n", <-stop)
}

// hold opens so many connections, to itself unless it is said to whom. They stay open as long as the program lives.
func hold(count uint64, to []string) {
	address := append(to, "")[0]
	if address == "" {
		server := listen("127.0.0.1:0")
		address = server.Addr().String()
		go accept(server)
	}
	for opened := uint64(0); opened < count; opened++ {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			fail(statusOf(err), fmt.Errorf("connection %d: %w", opened+1, err))
		}
		held = append(held, connection)
	}
	fmt.Printf("hold-connections: holds %d to %s\n", count, address)
}

// Without these the garbage collector closes what nobody uses.
var held, accepted []net.Conn

func listen(address string) net.Listener {
	server, err := net.Listen("tcp", address)
	if err != nil {
		fail(2, err)
	}
	return server
}

func accept(server net.Listener) {
	for {
		connection, err := server.Accept()
		if err != nil {
			fail(statusOf(err), err)
		}
		accepted = append(accepted, connection)
	}
}

func statusOf(err error) int {
	for _, none := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, none) {
			return int(none)
		}
	}
	return 1
}

func fail(status int, err error) {
	fmt.Fprintln(os.Stderr, "hold-connections:", err)
	os.Exit(status)
}

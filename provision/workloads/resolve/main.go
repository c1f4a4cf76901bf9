// resolve looks a name up the way a pod does: Go's own resolver, /etc/hosts and the servers and search list of
// /etc/resolv.conf.
//
//	resolve [--timeout 5s] [--wait 0] NAME
//
// It prints one address a line. With --wait it asks again until the name resolves or that time is over: a cluster's
// DNS that is still starting is no failure then. Exit status: 0 found, 1 not found or no answer, 2 wrong flags.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"time"
)

// Between two tries; a server that does not listen yet refuses at once.
const pause = 250 * time.Millisecond

func main() {
	timeout := flag.Duration("timeout", 5*time.Second, "time limit for one try")
	wait := flag.Duration("wait", 0, "ask again until the name resolves or this time is over")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "resolve: usage: resolve [--timeout 5s] [--wait 0] NAME")
		os.Exit(2)
	}
	deadline := time.Now().Add(*wait)
	addresses, err := lookup(flag.Arg(0), *timeout)
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(pause)
		addresses, err = lookup(flag.Arg(0), *timeout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "resolve: %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
	for _, address := range addresses {
		fmt.Println(address)
	}
}

// lookup tries once; finding no address is an error too.
func lookup(name string, timeout time.Duration) ([]string, error) {
	limited, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	resolver := net.Resolver{PreferGo: true}
	addresses, err := resolver.LookupHost(limited, name)
	if err == nil && len(addresses) == 0 {
		err = fmt.Errorf("no address")
	}
	return addresses, err
}

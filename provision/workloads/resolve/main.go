// resolve looks a name up the way a pod does: Go's own resolver, /etc/hosts and the servers and search list of
// /etc/resolv.conf.
//
//	resolve [--timeout 5s] NAME
//
// It prints one address a line. Exit status: 0 found, 1 not found or no answer, 2 wrong flags.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	timeout := flag.Duration("timeout", 5*time.Second, "time limit for all tries together")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "resolve: usage: resolve [--timeout 5s] NAME")
		os.Exit(2)
	}
	limited, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	resolver := net.Resolver{PreferGo: true}
	addresses, err := resolver.LookupHost(limited, flag.Arg(0))
	if err != nil || len(addresses) == 0 {
		fmt.Fprintf(os.Stderr, "resolve: %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
	for _, address := range addresses {
		fmt.Println(address)
	}
}

// await-api waits until an HTTPS address answers 200: the Kubernetes API's /healthz, before a program starts that
// gives up when the API is not healthy yet.
//
//	await-api [--wait 10m] URL
//
// Exit status: 0 it answered 200, 1 it did not in that time (the last answer is printed), 2 wrong flags.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	// Between two tries; a server that does not listen yet refuses at once.
	pause = 500 * time.Millisecond
	// One try: a TLS handshake and an answer, from a machine that is busy with starting.
	try = 10 * time.Second
)

func main() {
	wait := flag.Duration("wait", 10*time.Minute, "give up after this time")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "await-api: usage: await-api [--wait 10m] URL")
		os.Exit(2)
	}
	client := &http.Client{
		Timeout: try,
		// Nothing is sent or believed but "healthy", so whose certificate it is does not matter.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	deadline := time.Now().Add(*wait)
	err := look(client, flag.Arg(0))
	for err != nil && time.Now().Before(deadline) {
		time.Sleep(pause)
		err = look(client, flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "await-api: not healthy after %s: %v\n", *wait, err)
		os.Exit(1)
	}
	fmt.Println("healthy")
}

// look asks once; any answer but 200 is an error that says what was answered.
func look(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	return nil
}

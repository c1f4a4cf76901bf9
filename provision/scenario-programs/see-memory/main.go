// see-memory prints, each second, the first line of /proc/meminfo as its own container has it: "MemTotal: N kB".
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	for {
		text, err := os.ReadFile("/proc/meminfo")
		if err != nil {
			fmt.Fprintln(os.Stderr, "see-memory:", err)
			os.Exit(1)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		fmt.Println(line)
		time.Sleep(time.Second)
	}
}

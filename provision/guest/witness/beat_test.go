package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestCountersOfTheNode(t *testing.T) {
	kills, ok := parseCounter("oom_kill_disable 9\nnr_free 4\noom_kill 12\n", "oom_kill")
	if !ok || kills != 12 {
		t.Fatal(kills, ok)
	}
	if _, ok := parseCounter("nr_free 4\n", "oom_kill"); ok {
		t.Fatal("a counter that is not there")
	}
	psi := "some avg10=1.00 avg60=0.00 avg300=0.00 total=77\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=42\n"
	full, ok := parsePressure(psi, "full")
	if !ok || full != 42 {
		t.Fatal(full, ok)
	}
	if _, ok := parsePressure("", "full"); ok {
		t.Fatal("pressure of a kernel without it")
	}
	steal, ok := parseSteal("cpu  1 2 3 4 5 6 7 25 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n")
	if !ok || steal != 250 {
		t.Fatal(steal, ok)
	}
}

func TestABeatIsARecord(t *testing.T) {
	var text bytes.Buffer
	out := newEmitter(&text, func() time.Time { return time.UnixMilli(5) }, func() int64 { return 7 })
	beat(out)
	if !strings.Contains(text.String(), `"kind":"node"`) || !strings.Contains(text.String(), `"cpus":`) {
		t.Fatal(text.String())
	}
}

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func stats(overrun, commit, dropped string) string {
	return "entries: 12\noverrun: " + overrun + "\ncommit overrun: " + commit + "\nbytes: 3480\noldest event ts:  4242.1\nnow ts:  4300.2\ndropped events: " + dropped + "\nread events: 42\n"
}

func TestWhatTheKernelLostIsReportedOnceForEachCpu(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "per_cpu", "cpu0", "stats")
	second := filepath.Join(dir, "per_cpu", "cpu1", "stats")
	writeFile(t, first, stats("0", "0", "0"))
	writeFile(t, second, stats("0", "0", "0"))
	var out bytes.Buffer
	e := newEmitter(&out, time.Now, monotonicMicros)
	l := newLosses(dir)
	l.report(e)
	if out.Len() > 0 {
		t.Fatal("nothing was lost:", out.String())
	}
	writeFile(t, second, stats("7", "2", "3"))
	l.report(e)
	l.report(e)
	got := out.String()
	if strings.Count(got, `"kind":"lost"`) != 1 || !strings.Contains(got, "cpu1 [LOST 12 EVENTS]") || !strings.Contains(got, `"source":"trace"`) {
		t.Fatal(got)
	}
	writeFile(t, second, stats("8", "2", "3"))
	if got := l.more(); len(got) != 1 || got[0] != "the ring of cpu1 [LOST 1 EVENTS]" {
		t.Fatal(got)
	}
}

func TestAKernelWithoutTheCountersLosesNothing(t *testing.T) {
	if got := newLosses(t.TempDir()).more(); got != nil {
		t.Fatal(got)
	}
}

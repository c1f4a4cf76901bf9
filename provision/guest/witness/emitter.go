package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// emitter numbers and writes records. Each record is one write, so a stream that is cut ends after a whole record.
type emitter struct {
	out  io.Writer
	wall func() time.Time
	mono func() int64
	seq  int64
}

func newEmitter(out io.Writer, wall func() time.Time, mono func() int64) *emitter {
	return &emitter{out: out, wall: wall, mono: mono}
}

// emit writes a record that is true now.
func (e *emitter) emit(kind string, fields map[string]any) {
	e.emitAt(kind, e.mono(), fields)
}

// emitAt writes a record of an earlier moment, given on the monotonic clock in microseconds.
func (e *emitter) emitAt(kind string, mono int64, fields map[string]any) {
	e.seq++
	at := e.wall().UnixMilli() - (e.mono()-mono)/1000
	line := fmt.Sprintf(`{"seq":%d,"at":%d,"mono":%d,"kind":%q`, e.seq, at, mono, kind)
	if len(fields) > 0 {
		body, err := json.Marshal(fields)
		if err != nil {
			body = []byte(fmt.Sprintf(`{"why":%q}`, err.Error()))
		}
		line += "," + string(body[1:len(body)-1])
	}
	if _, err := io.WriteString(e.out, line+"}\n"); err != nil {
		os.Exit(1) // nobody reads us any more
	}
}

// monotonicMicros reads CLOCK_MONOTONIC, which the standard library does not give away.
func monotonicMicros() int64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	if errno != 0 {
		panic(errno)
	}
	return now.Sec*1_000_000 + now.Nsec/1000
}

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadFileReadsWhatOsReadFileReads(t *testing.T) {
	folder := t.TempDir()
	for _, size := range []int{0, 1, readSize - 1, readSize, readSize + 1, 3*readSize + 7} {
		path := filepath.Join(folder, "file")
		want := bytes.Repeat([]byte("cgroup\n"), size/7+1)[:size]
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d bytes and %v", size, len(got), err)
		}
	}
	// A kernel file says that it has no bytes, and has some.
	if got, err := readFile("/proc/self/status"); err != nil || !bytes.Contains(got, []byte("NSpid:")) {
		t.Errorf("/proc/self/status: got %q and %v", got, err)
	}
}

func TestReadFileSaysWhatIsMissing(t *testing.T) {
	if _, err := readFile("/proc/self/no-such-file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if _, err := readFile("/proc/self"); err == nil {
		t.Error("a directory was read")
	}
}

package main

import (
	"bytes"
	"testing"
)

func TestPoolInfoCountsBitsAndBytes(t *testing.T) {
	seed := bytes.Repeat([]byte{7}, 64)
	info := poolInfo(seed)
	// Little endian, as every machine that we run on.
	want := append([]byte{0, 2, 0, 0, 64, 0, 0, 0}, seed...)
	if !bytes.Equal(info, want) {
		t.Fatalf("%v", info)
	}
}

func TestAShortSeedIsRefusedBeforeAnythingIsTouched(t *testing.T) {
	if err := reseed(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Fatal("31 bytes were taken")
	}
}

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"
)

// From include/uapi/linux/random.h; the same on every architecture that uses the generic ioctl numbers.
const (
	rndAddEntropy = 0x40085203
	rndReseedCrng = 0x5207
)

const maxSeedBytes = 512

// reseed gives the kernel's random number generator what standard input holds, and makes it draw new keys from that at
// once. A write to /dev/urandom alone is mixed in, but used only at the next regular reseed, which may be minutes
// away, and before 5.10.119 an ioctl that reseeds did nothing without credited entropy (drivers/char/random.c).
func reseed(input io.Reader) error {
	seed, err := io.ReadAll(io.LimitReader(input, maxSeedBytes))
	if err != nil {
		return err
	}
	if len(seed) < 32 {
		return fmt.Errorf("a seed of %d bytes is too short, 32 are needed", len(seed))
	}
	device, err := os.OpenFile("/dev/urandom", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer device.Close()
	info := poolInfo(seed)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, device.Fd(), rndAddEntropy, uintptr(unsafe.Pointer(&info[0]))); errno != 0 {
		return fmt.Errorf("RNDADDENTROPY: %w", errno)
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, device.Fd(), rndReseedCrng, 0); errno != 0 {
		return fmt.Errorf("RNDRESEEDCRNG: %w", errno)
	}
	return nil
}

// poolInfo is struct rand_pool_info: entropy in bits, size in bytes, the bytes.
func poolInfo(seed []byte) []byte {
	info := make([]byte, 8, 8+len(seed))
	binary.NativeEndian.PutUint32(info[0:], uint32(len(seed)*8))
	binary.NativeEndian.PutUint32(info[4:], uint32(len(seed)))
	return append(info, seed...)
}

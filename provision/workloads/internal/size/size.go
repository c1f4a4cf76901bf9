// Package size reads and prints amounts of memory the way Kubernetes writes them: 20Mi, 1Gi, 512Ki, plain bytes.
package size

import (
	"fmt"
	"strconv"
	"strings"
)

var units = []struct {
	suffix string
	bytes  int64
}{{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}}

// Bytes is an amount of memory; it implements flag.Value.
type Bytes int64

// Parse reads "20Mi", "1Gi", "512Ki" or "4096". Negative, fractional and unknown units are errors.
func Parse(text string) (Bytes, error) {
	number, factor := text, int64(1)
	for _, unit := range units {
		if strings.HasSuffix(text, unit.suffix) {
			number, factor = strings.TrimSuffix(text, unit.suffix), unit.bytes
		}
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < 0 || value > (1<<62)/factor {
		return 0, fmt.Errorf("%q is not an amount of memory: write 20Mi, 1Gi, 512Ki or bytes", text)
	}
	return Bytes(value * factor), nil
}

// Set implements flag.Value.
func (b *Bytes) Set(text string) error {
	value, err := Parse(text)
	*b = value
	return err
}

// String prints the largest unit that divides the amount.
func (b Bytes) String() string {
	for i := len(units) - 1; i >= 0; i-- {
		if b != 0 && int64(b)%units[i].bytes == 0 {
			return fmt.Sprintf("%d%s", int64(b)/units[i].bytes, units[i].suffix)
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

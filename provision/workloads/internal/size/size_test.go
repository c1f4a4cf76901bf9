package size

import "testing"

func TestParseReadsWhatStringPrints(t *testing.T) {
	for text, want := range map[string]Bytes{"0": 0, "4096": 4096, "20Mi": 20 << 20, "3Gi": 3 << 30, "7Ki": 7 << 10} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
		if again, err := Parse(got.String()); err != nil || again != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", got.String(), again, err, want)
		}
	}
}

func TestParseRefusesWhatIsNotAnAmount(t *testing.T) {
	for _, text := range []string{"", "Mi", "-1Mi", "1.5Gi", "20MB", "20 Mi", "99999999999Gi"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d, want an error", text, got)
		}
	}
}

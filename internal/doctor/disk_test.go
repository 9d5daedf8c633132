package doctor

import (
	"strings"
	"testing"
)

func TestSpaceFindings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		megabytes uint64
		want      Level
	}{{99, Problem}, {100, Warning}, {1023, Warning}, {1024, ""}, {1 << 20, ""}} {
		var got Level
		for _, f := range spaceFindings("/data", c.megabytes*megabyte) {
			got = f.Level
			if f.Subject != "/data" || !strings.Contains(f.Remedy, "make room") {
				t.Errorf("with %d MB it says %+v", c.megabytes, f)
			}
		}
		if got != c.want {
			t.Errorf("with %d MB it is %q, want %q", c.megabytes, got, c.want)
		}
	}
	if free, known, err := freeSpace(t.TempDir()); err != nil || known && free == 0 {
		t.Errorf("free space is %d, %v", free, err)
	}
}

func TestVersionFinding(t *testing.T) {
	t.Parallel()
	if f := versionFinding(12); f.Level != Problem || !strings.Contains(f.Message, "version 12") || !strings.Contains(f.Message, "13 or newer") {
		t.Errorf("it says %+v", f)
	}
}

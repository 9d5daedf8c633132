package app_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// ownSize is the memory that a process has allocated. The pages of its program file count as resident too, but how many
// of them are mapped is decided by the kernel, which reads around each one that is used and can drop them at any time.
var ownSize = regexp.MustCompile(`(?m)^RssAnon:\s+(\d+) kB$`)

func TestAnIdleServerIsSmall(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e env) {
		const most = 32 << 10 // KiB
		s := child(t, known.with(e))
		ask(t, s.url, s.firstToken(t), "{ accounts { id name } }", nil).value(t, "data", "accounts")
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
		if err != nil {
			t.Fatal(err)
		}
		match := ownSize.FindSubmatch(status)
		if match == nil {
			t.Fatalf("no size in %s", status)
		}
		size, err := strconv.Atoi(string(match[1]))
		if err != nil || size >= most {
			t.Errorf("%d KiB are allocated and resident (%v), want less than %d", size, err, most)
		}
		t.Logf("%d KiB", size)
	})
}

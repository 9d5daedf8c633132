package app

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal returns both ends of a terminal: what is written to one can be read
// from the other. It skips t where there are none.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: skipped (%v)", err)
	}
	t.Cleanup(func() { master.Close() })
	var number, locked int32
	control(t, master, syscall.TIOCSPTLCK, &locked)
	control(t, master, syscall.TIOCGPTN, &number)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals here: skipped (%v)", err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

func control(t *testing.T, f *os.File, request uintptr, value *int32) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
		t.Skipf("there are no terminals here: skipped (%v)", errno)
	}
}

func TestALogIsTextOnATerminal(t *testing.T) {
	t.Parallel()
	master, slave := terminal(t)
	for format, want := range map[string]string{"auto": "level=INFO msg=hello", "text": "level=INFO msg=hello", "json": `"msg":"hello"}`} {
		newLogger(slave, format, slog.LevelInfo).Info("hello")
		line, err := bufio.NewReader(master).ReadString('\n')
		if err != nil || !strings.Contains(line, want) {
			t.Errorf("%s writes %q, %v", format, line, err)
		}
	}
}

func TestALogIsJSONInAFile(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	newLogger(f, "auto", slog.LevelInfo).Info("hello")
	text, err := os.ReadFile(f.Name())
	if err != nil || !strings.HasSuffix(string(text), `"msg":"hello"}`+"\n") {
		t.Errorf("a file gets %q, %v", text, err)
	}
}

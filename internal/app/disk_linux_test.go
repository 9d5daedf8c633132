package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// smallDisk returns a directory on a disk of its own, of a few megabytes. It
// skips t where such a disk cannot be made.
func smallDisk(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: skipped; run as root to test a full disk (%v)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// fill writes a file until there is no room left.
func fill(t testing.TB, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

var noRoom = regexp.MustCompile(`^The server has no room left to store this; nothing was changed\. Try again later \(error ([A-Za-z0-9_-]+)\)\.$`)

func TestAFullDiskFailsWritesUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := child(t, known, "--data-dir", dir)
	token := s.firstToken(t)
	var made []string
	create := func(code string) answer {
		a := ask(t, s.url, token, createAccount, map[string]any{"code": code})
		if _, err := a.find("data", "accountCreate", "account"); err == nil {
			made = append(made, code)
		}
		return a
	}
	for round := range 2 {
		create(fmt.Sprintf("room-%d", round))
		ballast := filepath.Join(dir, "ballast")
		fill(t, ballast)
		failed := untilFull(t, create, round)
		checkNoRoom(t, s, failed)
		if codes := accountCodes(t, s.url, s.firstToken(t)); len(codes) != len(made) {
			t.Errorf("%d accounts can be read, want %d", len(codes), len(made))
		}
		if get(t, s.url+"/readyz").status != 200 {
			t.Error("/readyz fails, though requests can be answered")
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		if a := create(fmt.Sprintf("room-again-%d", round)); !strings.Contains(a.body, "room-again") {
			t.Fatalf("with room again: %d %s", a.status, a.body)
		}
	}
	s.stop(t)
	again := child(t, nil, "--data-dir", dir)
	codes := accountCodes(t, again.url, again.firstToken(t))
	for _, code := range made {
		if !codes[code] {
			t.Errorf("%s was answered and is lost", code)
		}
	}
	if len(codes) != len(made) {
		t.Errorf("%d accounts, want %d", len(codes), len(made))
	}
}

// untilFull makes accounts until one fails: the file that is written to may
// have some room in itself.
func untilFull(t testing.TB, create func(code string) answer, round int) answer {
	t.Helper()
	for i := range 2000 {
		a := create(fmt.Sprintf("full-%d-%d", round, i))
		if _, err := a.find("data", "accountCreate", "account"); err != nil {
			return a
		}
	}
	t.Fatal("2,000 accounts fit on a full disk")
	return answer{}
}

// checkNoRoom checks what the caller is told, and that the log has more.
func checkNoRoom(t testing.TB, s *server, a answer) {
	t.Helper()
	errs, _ := a.value(t, "errors").([]any)
	first, _ := errs[0].(map[string]any)
	extensions, _ := first["extensions"].(map[string]any)
	message, _ := first["message"].(string)
	match := noRoom.FindStringSubmatch(message)
	if a.status != 503 || extensions["code"] != "UNAVAILABLE" || match == nil {
		t.Fatalf("answered %d %s", a.status, a.body)
	}
	eventually(t, patience, "the error is in the log, with the request's id", func() bool {
		for _, line := range s.stderr.logLines(t) {
			if line["error_id"] == match[1] {
				return line["request_id"] == a.header.Get("X-Request-Id") && line["level"] == "ERROR"
			}
		}
		return false
	})
}

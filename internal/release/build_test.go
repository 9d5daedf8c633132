package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var stamp = time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)

// native builds the release for this machine and returns the archive.
func native(t *testing.T) []byte {
	t.Helper()
	some, err := chosen("native")
	if err != nil {
		t.Skipf("no release for this machine: %v: skipped", err)
	}
	r := release{root: "../..", out: filepath.Join(t.TempDir(), "dist"), version: "v9.8.7-test", stamp: stamp, targets: some}
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second release into the same directory: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	sum, name, _ := strings.Cut(strings.TrimSuffix(string(sums), "\n"), "  ")
	archive, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	if have := fmt.Sprintf("%x", sha256.Sum256(archive)); have != sum {
		t.Errorf("the checksum is %s, want %s", sum, have)
	}
	return archive
}

func TestNativeRelease(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the archive of Windows is another one: skipped")
	}
	archive := native(t)
	if !bytes.Equal(archive, native(t)) {
		t.Error("two builds of the same source differ")
	}
	files := unpack(t, archive)
	prefix := fmt.Sprintf("tenantry_9.8.7-test_%s_%s/", runtime.GOOS, runtime.GOARCH)
	for _, name := range append(documents, "tenantry") {
		if len(files[prefix+name]) == 0 {
			t.Errorf("the archive has no %s%s", prefix, name)
		}
	}
	program := filepath.Join(t.TempDir(), "tenantry")
	if err := os.WriteFile(program, files[prefix+"tenantry"], 0o700); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), program, "version").Output()
	if err != nil || !strings.HasPrefix(string(said), "tenantry v9.8.7-test (") {
		t.Errorf("the program says %q (%v)", said, err)
	}
	if runtime.GOOS == "linux" {
		checkStatic(t, program)
	}
}

// unpack returns the files of an archive, and checks their times and order.
func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files, in := map[string][]byte{}, tar.NewReader(compressed)
	var names []string
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(stamp) || header.Uid != 0 || header.Uname != "" {
			t.Errorf("%s is of %v and of user %d %q", header.Name, header.ModTime, header.Uid, header.Uname)
		}
		if files[header.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("the files are not in order: %q", names)
	}
	return files
}

// checkStatic fails if a program needs other files to run.
func checkStatic(t *testing.T, path string) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("the program needs %q (%v)", libraries, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a loader")
		}
	}
}

func TestZip(t *testing.T) {
	t.Parallel()
	r := release{stamp: stamp}
	files := []packed{{"a/LICENSE", "../../LICENSE", 0o644}, {"a/README.md", "../../README.md", 0o644}}
	var first, second bytes.Buffer
	if err := errors.Join(r.zipped(&first, files), r.zipped(&second, files)); err != nil {
		t.Fatal(err)
	}
	if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files differ")
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	if _, err := chosen("plan9/amd64"); err == nil {
		t.Error("a release for a platform that there is none for")
	}
	some, err := chosen("linux/amd64,darwin/arm64")
	if err != nil || len(some) != 2 {
		t.Errorf("two platforms are %v (%v)", some, err)
	}
	for _, version := range []string{"", "a b", "v1/2"} {
		if err := (&release{version: version}).make(t.Context()); err == nil {
			t.Errorf("a release called %q", version)
		}
	}
}

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// documents go into every archive beside the program.
var documents = []string{"CHANGELOG.md", "LICENSE", "README.md"}

// make builds and packs the program for each platform, and writes the checksums
// of all archives at the end.
func (r *release) make(ctx context.Context) error {
	if r.version == "" || strings.ContainsAny(r.version, " /\\'\"") {
		return fmt.Errorf("-version must be one word such as v1.2.3, not %q", r.version)
	}
	if found, err := os.ReadDir(r.out); err == nil && len(found) > 0 {
		return fmt.Errorf("%s is not empty: remove it first, so that nothing old is published", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "tenantry-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var archives []string
	for _, t := range r.targets {
		program := filepath.Join(temp, t.os+"-"+t.arch, t.program())
		if err := r.build(ctx, t, program); err != nil {
			return err
		}
		archive, err := r.pack(t, program)
		if err != nil {
			return err
		}
		fmt.Println(filepath.Join(r.out, archive))
		archives = append(archives, archive)
	}
	return r.writeSums(archives)
}

// program is what the program is called on a platform.
func (t target) program() string {
	if t.os == "windows" {
		return "tenantry.exe"
	}
	return "tenantry"
}

// build makes a program that needs nothing but the system it is for. Nothing of
// the machine it is built on gets into it.
func (r *release) build(ctx context.Context, t target, to string) error {
	flags := "-s -w -X github.com/tenantry/tenantry/internal/app.version=" + r.version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", to, "./cmd/tenantry")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w\n%s", t, err, text)
	}
	return nil
}

// packed is a file in an archive.
type packed struct {
	name, path string
	mode       os.FileMode
}

// pack puts a program into an archive with its documents and returns the name of
// that.
func (r *release) pack(t target, program string) (string, error) {
	name := fmt.Sprintf("tenantry_%s_%s_%s", strings.TrimPrefix(r.version, "v"), t.os, t.arch)
	files := []packed{{name + "/" + t.program(), program, 0o755}}
	for _, document := range documents {
		files = append(files, packed{name + "/" + document, filepath.Join(r.root, document), 0o644})
	}
	if t.os == "linux" {
		for _, unit := range []string{"tenantry.service", "tenantry.env"} {
			files = append(files, packed{name + "/" + unit, filepath.Join(r.root, "packaging", unit), 0o644})
		}
	}
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.name, b.name) })
	write, archive := r.tarball, name+".tar.gz"
	if t.os == "windows" {
		write, archive = r.zipped, name+".zip"
	}
	file, err := os.Create(filepath.Join(r.out, archive))
	if err != nil {
		return "", err
	}
	return archive, errors.Join(write(file, files), file.Close())
}

func (r *release) tarball(to io.Writer, files []packed) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, f := range files {
		info, err := os.Stat(f.path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: info.Size(), ModTime: r.stamp, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if err := copyFile(out, f.path); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), compressed.Close())
}

func (r *release) zipped(to io.Writer, files []packed) error {
	out := zip.NewWriter(to)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.stamp}
		header.SetMode(f.mode)
		file, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if err := copyFile(file, f.path); err != nil {
			return err
		}
	}
	return out.Close()
}

func copyFile(to io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, file)
	return errors.Join(err, file.Close())
}

// writeSums writes the checksums as sha256sum does.
func (r *release) writeSums(archives []string) error {
	slices.Sort(archives)
	var text strings.Builder
	for _, archive := range archives {
		hash := sha256.New()
		if err := copyFile(hash, filepath.Join(r.out, archive)); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", hash.Sum(nil), archive)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}

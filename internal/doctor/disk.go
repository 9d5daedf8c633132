package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

const (
	megabyte = 1 << 20
	// little is enough for a day, tooLittle is not enough for a backup.
	little, tooLittle = 1024 * megabyte, 100 * megabyte
)

// checkDisk finds a disk that is about to be full under a SQLite file.
func checkDisk(_ context.Context, p *Patient) ([]Finding, error) {
	if p.DatabaseFile == "" {
		return nil, nil
	}
	dir := filepath.Dir(p.DatabaseFile)
	free, known, err := freeSpace(dir)
	if errors.Is(err, fs.ErrNotExist) || !known {
		return nil, nil // the database is missing too, which is said
	}
	if err != nil {
		return nil, err
	}
	return spaceFindings(dir, free), nil
}

func spaceFindings(dir string, free uint64) []Finding {
	const remedy = "make room, or move the data directory to a larger disk; writes fail when it is full"
	const message = "%d MB are free on the disk of the data directory"
	switch {
	case free < tooLittle:
		return []Finding{problem(dir, remedy, message, free/megabyte)}
	case free < little:
		return []Finding{warning(dir, remedy, message, free/megabyte)}
	}
	return nil
}

// checkFiles finds a database or key that other users of the machine can read.
func checkFiles(_ context.Context, p *Patient) (found []Finding, err error) {
	if runtime.GOOS == "windows" {
		return nil, nil // it has other permissions
	}
	for _, path := range []string{p.DatabaseFile, p.KeyFile} {
		info, err := os.Stat(path)
		if err != nil {
			continue // what is missing is said elsewhere
		}
		if open := info.Mode().Perm() & 0o077; open != 0 {
			found = append(found, problem(path, "chmod 600 "+path, "other users of this machine can read it or write to it (%s)", info.Mode().Perm()))
		}
	}
	return found, nil
}

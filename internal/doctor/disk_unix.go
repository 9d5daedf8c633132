//go:build linux || darwin

package doctor

import "syscall"

// freeSpace is how many bytes an ordinary user can still write in a directory.
func freeSpace(dir string) (free uint64, known bool, err error) {
	var stat syscall.Statfs_t
	err = syscall.Statfs(dir, &stat)
	return stat.Bavail * uint64(stat.Bsize), true, err
}

package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Source is a file of lines that can be read several times.
type Source struct {
	file *os.File
	temp bool
}

// Open opens a file. One that cannot be read again, such as a pipe, is copied to
// a temporary file first.
func Open(file *os.File) (*Source, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", file.Name())
	}
	if info.Mode().IsRegular() {
		return &Source{file: file}, nil
	}
	return Spool(file)
}

// Spool copies what a reader has to a temporary file.
func Spool(from io.Reader) (*Source, error) {
	temp, err := os.CreateTemp("", "tenantry-import-")
	if err != nil {
		return nil, err
	}
	s := &Source{file: temp, temp: true}
	if _, err := io.Copy(temp, from); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes the temporary file, if there is one.
func (s *Source) Close() error {
	if !s.temp {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// place is where a line is.
type place struct {
	offset int64
	length int32
	line   int32
}

var errTooLong = fmt.Errorf("the line is too long: at most %d bytes", MaxLine)

// each calls do for every line that is not blank. A line that is too long is
// given as the error that it is.
func (s *Source) each(do func(at place, text []byte, err error) error) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(s.file, MaxLine+2)
	at := place{}
	for {
		text, err := r.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return err
		}
		at.line++
		read := int64(len(text))
		if err == bufio.ErrBufferFull {
			more, end := skipLine(r)
			read, err = read+more, end
			if wrong := do(at, nil, errTooLong); wrong != nil {
				return wrong
			}
		} else if plain := trimLine(text, at.line == 1); len(plain) > 0 {
			begin := at
			begin.offset, begin.length = at.offset+int64(bytes.Index(text, plain)), int32(len(plain))
			if wrong := do(begin, plain, nil); wrong != nil {
				return wrong
			}
		}
		if at.offset += read; err == io.EOF {
			return nil
		}
	}
}

// trimLine takes away blanks, and the mark that some programs put before the
// first line of UTF-8 text.
func trimLine(text []byte, first bool) []byte {
	if first {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	return bytes.TrimSpace(text)
}

// skipLine reads over the rest of a line and returns how long that was.
func skipLine(r *bufio.Reader) (skipped int64, err error) {
	for {
		text, err := r.ReadSlice('\n')
		skipped += int64(len(text))
		if err != bufio.ErrBufferFull {
			return skipped, err
		}
	}
}

// at reads a line again.
func (s *Source) at(p place) ([]byte, error) {
	text := make([]byte, p.length)
	_, err := s.file.ReadAt(text, p.offset)
	return text, err
}

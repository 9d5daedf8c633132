package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// failure ends a measurement, as a failed test ends: by a panic that scope.run
// recovers from. Other goroutines than the measurement's own return errors.
type failure struct{ err error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// catch returns the failure that do ended with.
func catch(do func()) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case failure:
			err = value.err
		default:
			panic(value)
		}
	}()
	do()
	return nil
}

var errNotInstalled = errors.New("PostgreSQL is not installed")

// scope is the part of a test that measurements and package storetest use. The
// interface inside is nil and only makes it a testing.TB: calling anything
// else panics.
type scope struct {
	testing.TB
	ctx      context.Context
	cleanups []func()
	err      error
}

// run calls do and then, the last one first, what was given to Cleanup.
func (s *scope) run(do func()) error {
	err := catch(do)
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
	return errors.Join(err, s.err)
}

func (s *scope) Helper() {}

func (s *scope) Context() context.Context { return s.ctx }

func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *scope) Errorf(format string, args ...any) {
	s.err = errors.Join(s.err, fmt.Errorf(format, args...))
}

func (s *scope) Fatal(args ...any) { check(errors.New(fmt.Sprint(args...))) }

func (s *scope) Fatalf(format string, args ...any) { check(fmt.Errorf(format, args...)) }

func (s *scope) Skip(...any) { check(errNotInstalled) }

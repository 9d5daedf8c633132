package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func unpaused(context.Context) func() { return func() {} }

func TestEach(t *testing.T) {
	const standard = `{code: .id, sequence: (.seq // 0), features: [.limits | to_entries[] | {code: .key, quantity: .value}]}`
	for _, c := range []struct{ name, source, body, want string }{
		{"renamed", standard, `{"id":"acme","seq":3,"limits":{"users":5}}`, `{"code":"acme","features":[{"code":"users","quantity":5}],"sequence":3}`},
		{"numbers as they are", ".", `{"sequence":9007199254740993}`, `{"sequence":9007199254740993}`},
		{"a runtime error", standard, `{"id":"acme"}`, "the program fails: "},
		{"an error of its own", `error("no id")`, `{}`, "the program fails: error: no id"},
		{"no value", "empty", `{}`, "yields no value"},
		{"two values", "., .", `{}`, "more than one value"},
		{"too long", "def f: f; f", `{}`, "the program"},
		{"too much", `.a + .a`, `{"a":"` + strings.Repeat("x", MaxOutput/2+1) + `"}`, "yields more than"},
	} {
		run, err := Each(t.Context(), c.source, unpaused)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for range 2 { // a failure leaves nothing behind
			made, err := run([]byte(c.body))
			if got := string(made) + fmt.Sprint(err); !strings.Contains(got, c.want) || (err == nil) != strings.HasPrefix(c.want, "{") {
				t.Errorf("%s: %s, %v, want %s", c.name, made, err, c.want)
			}
		}
	}
	if _, err := Each(t.Context(), "{a:\n }}", unpaused); err == nil || !strings.Contains(err.Error(), "at line 2") {
		t.Errorf("a broken program: %v", err)
	}
}

// TestEachEnds: when the time of the request is over, no further value is begun, and its
// slot is free again.
func TestEachEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run, err := Each(ctx, ".", unpaused)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 * cap(previews) {
		if _, err := run([]byte("{}")); !errors.Is(err, errTogether) {
			t.Errorf("after its end: %v", err)
		}
	}
	again, err := Each(t.Context(), ".", unpaused)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again([]byte("{}")); err != nil {
		t.Error(err)
	}
}

// TestEachWaits: the place of a request is given to others only while it waits.
func TestEachWaits(t *testing.T) {
	waits, ran := make(chan struct{}, 1), make(chan error)
	run, err := Each(t.Context(), ".", func(context.Context) func() { waits <- struct{}{}; return func() {} })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run([]byte("{}")); err != nil || len(waits) > 0 {
		t.Errorf("it waits for a slot that is free: %v", err)
	}
	for range cap(previews) {
		previews <- struct{}{}
	}
	go func() {
		_, err := run([]byte("{}"))
		ran <- err
	}()
	<-waits
	for range cap(previews) {
		<-previews
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// Package program runs payload programs: jq programs, written by the operator, that
// transform the body of a webhook into the one that a receiver expects.
//
// A program is a pure function of the body: it cannot read the environment, other
// input, files or the clock. It can be stopped at any step, and no single step can
// take long or exhaust memory. gojq guarantees only the former, so a program is
// rewritten before it is compiled (see rewrite.go).
//
// The output is compact JSON. Keys of objects are sorted, because jq objects have
// no order: first those that are whole numbers, as in JavaScript, then the others
// by their bytes. Even the program "." therefore changes the order of fields.
package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// The limits of a program. One that has hardly begun when its time is up,
// because the machine is busy, gets some more.
const (
	MaxSource = 16 << 10
	MaxTime   = 100 * time.Millisecond
	MaxOutput = 256 << 10
)

// Program is a compiled program. It is safe for concurrent use.
type Program struct{ code *gojq.Code }

// Compile reads a program and refuses what could not be run safely. Its errors
// are meant for the program's author.
func Compile(source string) (program *Program, err error) {
	defer recovered(&err)
	switch {
	case len(source) > MaxSource:
		return nil, fmt.Errorf("the program is longer than %d bytes", MaxSource)
	case !utf8.ValidString(source) || strings.ContainsRune(source, 0):
		return nil, errors.New("the program is not text in UTF-8")
	case nesting(source) > maxNesting:
		return nil, fmt.Errorf("the program is nested deeper than %d brackets", maxNesting)
	}
	query, err := gojq.Parse(source)
	if err != nil {
		return nil, syntaxError(source, err)
	}
	if err := rewrite(query); err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query, guards()...)
	if err != nil {
		return nil, fmt.Errorf("the program cannot be used: %s", shorten(err.Error()))
	}
	return &Program{code}, nil
}

// maxNesting bounds how deep the parser's recursion goes.
const maxNesting = 500

// nesting counts the brackets that are open at once, without regard to texts
// and comments: it is only to be not too small.
func nesting(source string) int {
	depth, deepest := 0, 0
	for _, c := range []byte(source) {
		switch c {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return deepest
}

func syntaxError(source string, err error) error {
	var parse *gojq.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("the program cannot be read: %s", shorten(err.Error()))
	}
	before := source[:min(max(parse.Offset-len(parse.Token), 0), len(source))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("the program cannot be read, at line %d, column %d: %s", line, column, shorten(err.Error()))
}

// Run returns what the program makes of a body that is to be delivered: exactly
// one value.
func (p *Program) Run(ctx context.Context, body []byte) ([]byte, error) {
	leave, err := deliveries.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return p.run(ctx, body, 0)
}

// Preview returns what a program that somebody tries out makes of a body. It is
// compiled and run in the slots of previews. waits is called before it waits for
// one, and what it returns when that is over.
func Preview(ctx context.Context, source string, body []byte, waits func(context.Context) (over func())) ([]byte, error) {
	over := waits(ctx)
	leave, err := previews.enter(ctx)
	over()
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := Compile(source)
	if err != nil {
		return nil, err
	}
	return p.run(ctx, body, previewSlice)
}

// run runs the program, giving way to others every so many steps, if slice is
// not 0.
func (p *Program) run(ctx context.Context, body []byte, slice int) (out []byte, err error) {
	defer recovered(&err)
	input, err := decode(body)
	if err != nil {
		return nil, err
	}
	meter := newMeter(ctx, slice)
	defer meter.stop()
	values := p.code.RunWithContext(meter, input)
	value, ok := values.Next()
	if !ok {
		return nil, errors.New("the program yields no value; it must yield exactly one")
	}
	if err, failed := value.(error); failed {
		return nil, meter.explain(err)
	}
	if another, ok := values.Next(); ok {
		if err, failed := another.(error); failed {
			return nil, meter.explain(err)
		}
		return nil, errors.New("the program yields more than one value; it must yield exactly one: put brackets around it for a list")
	}
	return encode(value)
}

// Check runs the program in source against samples and returns what is wrong
// with the first that fails. It waits for its slot as Preview does.
func Check(ctx context.Context, source string, samples [][]byte, waits func(context.Context) (over func())) error {
	over := waits(ctx)
	leave, err := previews.enter(ctx)
	over()
	if err != nil {
		return err
	}
	defer leave()
	p, err := Compile(source)
	if err != nil {
		return err
	}
	for i, sample := range samples {
		if _, err := p.run(ctx, sample, previewSlice); err != nil {
			return fmt.Errorf("with sample %d of %d, %s: %w", i+1, len(samples), describe(sample), err)
		}
	}
	return nil
}

// decode reads a body with its numbers as they are written.
func decode(body []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body is more than one JSON value")
	}
	if err := checkSize(value); err != nil {
		return nil, fmt.Errorf("the body is too big for a program: %w", err)
	}
	return value, nil
}

// recovered makes an error of a panic in the jq library: a program must not be
// able to stop the server.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the program fails inside the jq library: %s", shorten(fmt.Sprint(r)))
	}
}

const maxErrorText = 300

// shorten keeps errors readable: programs can put anything into theirs.
func shorten(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\ufffd"), "\ufffd")
	if len(text) <= maxErrorText {
		return text
	}
	cut := maxErrorText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"sync/atomic"

	"github.com/itchyny/gojq"
)

// Bounds of the values that a program works with. They are far above any body,
// and low enough that no single step can do harm.
const (
	maxValue  = 1 << 20 // about its size as JSON
	maxDepth  = 1000
	maxIndex  = 100_000 // setting an element makes all before it
	maxBits   = 2048    // of a whole number
	maxDigits = 500     // of one that is written out
	maxPiece  = 64 << 10
	maxSmall  = 512
	maxTexts  = 2 << 10 // that a regular expression looks at
	maxPairs  = 1_000_000
)

// The guards are functions that a program is rewritten to call. Their names
// cannot be written in a program.
const (
	guardValue    = "_tenantry_value"
	guardPiece    = "_tenantry_piece"
	guardSmall    = "_tenantry_small"
	guardText     = "_tenantry_text"
	guardIndex    = "_tenantry_index"
	guardPath     = "_tenantry_path"
	guardOperands = "_tenantry_operands"
)

func guards() []gojq.CompilerOption {
	one := func(name string, check func(any) error) gojq.CompilerOption {
		return gojq.WithFunction(name, 0, 0, func(v any, _ []any) any {
			if err := check(v); err != nil {
				return err
			}
			return v
		})
	}
	return []gojq.CompilerOption{
		one(guardValue, checkSize),
		one(guardPiece, limited(maxPiece)),
		one(guardSmall, limited(maxSmall)),
		one(guardText, checkText),
		one(guardIndex, checkIndex),
		one(guardPath, checkPath),
		gojq.WithFunction(guardOperands, 2, 2, func(_ any, args []any) any {
			if err := checkOperands(args[0], args[1]); err != nil {
				return err
			}
			return []any{args[0], args[1]}
		}),
	}
}

var errTooBig = errors.New("a value is too big")

// checkSize refuses values that are too big or too deep, counting shared parts
// as often as they appear, as whoever writes the value will.
func checkSize(v any) error {
	room := maxValue
	err := measure(v, &room, maxDepth)
	if size := maxValue - room; size > bigValue {
		made.Add(int64(size))
	}
	return err
}

// made counts the bytes of big values that programs made, so that their meters
// know when to look at the memory.
var made atomic.Int64

const bigValue = 16 << 10

func limited(limit int) func(any) error {
	return func(v any) error {
		room := limit
		if measure(v, &room, maxDepth) != nil {
			return fmt.Errorf("a value is longer than %d bytes here", limit)
		}
		return nil
	}
}

func measure(v any, room *int, depth int) error {
	*room -= 8
	switch v := v.(type) {
	case string:
		*room -= len(v)
	case json.Number:
		if *room -= len(v); len(v) > maxDigits {
			return errTooBig
		}
	case *big.Int:
		if v.BitLen() > maxBits {
			return errors.New("a number is too big")
		}
		*room -= maxBits / 8
	case []any:
		if depth == 0 {
			return fmt.Errorf("a value is nested deeper than %d", maxDepth)
		}
		for _, element := range v {
			if err := measure(element, room, depth-1); err != nil {
				return err
			}
		}
	case map[string]any:
		if depth == 0 {
			return fmt.Errorf("a value is nested deeper than %d", maxDepth)
		}
		for key, value := range v {
			*room -= 8 + len(key)
			if err := measure(value, room, depth-1); err != nil {
				return err
			}
		}
	}
	if *room < 0 {
		return errTooBig
	}
	return nil
}

func checkText(v any) error {
	if s, ok := v.(string); ok && len(s) > maxTexts {
		return fmt.Errorf("a text is longer than %d bytes here", maxTexts)
	}
	return nil
}

// number is the value of a number of any kind, 0 if it is none.
func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	case json.Number:
		f, _ := strconv.ParseFloat(string(v), 64)
		return f
	}
	return 0
}

func checkIndex(v any) error {
	if number(v) > maxIndex {
		return fmt.Errorf("an index is greater than %d", maxIndex)
	}
	return nil
}

func checkPath(v any) error {
	path, ok := v.([]any)
	if !ok {
		return nil // not for a guard to complain about
	}
	if len(path) > maxDepth {
		return fmt.Errorf("a path is longer than %d", maxDepth)
	}
	for _, step := range path {
		if err := checkIndex(step); err != nil {
			return err
		}
	}
	return nil
}

// checkOperands refuses what *, - and / would take too long or too much for:
// repeating a text, comparing each element of two lists, and splitting a text.
func checkOperands(l, r any) error {
	if a, ok := l.(string); ok && len(a) > maxPiece {
		if _, ok := r.(string); ok {
			return fmt.Errorf("a text is longer than %d bytes here", maxPiece)
		}
	}
	if a, ok := l.([]any); ok {
		if b, ok := r.([]any); ok && len(a)*len(b) > maxPairs {
			return errors.New("the lists are too long for -")
		}
	}
	for _, pair := range [2][2]any{{l, r}, {r, l}} {
		if s, ok := pair[0].(string); ok && float64(len(s))*number(pair[1]) > maxValue {
			return errTooBig
		}
	}
	return nil
}

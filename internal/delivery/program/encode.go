package program

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing/webhook"
)

var errOutput = fmt.Errorf("the program yields more than %d bytes", MaxOutput)

// encode writes a value as compact JSON, in the form of the default body: as
// JavaScript's JSON.stringify would. It stops when there is too much.
func encode(v any) ([]byte, error) {
	w := &writer{}
	if err := w.value(v); err != nil {
		return nil, err
	}
	return w.out, nil
}

type writer struct{ out []byte }

func (w *writer) value(v any) error {
	switch v := v.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case int:
		w.out = strconv.AppendInt(w.out, int64(v), 10)
	case float64:
		w.float(v)
	case *big.Int:
		w.out = v.Append(w.out, 10)
	case json.Number:
		w.raw(string(v))
	case string:
		w.out = webhook.AppendText(w.out, v)
	case []any:
		return w.array(v)
	case map[string]any:
		return w.object(v)
	default:
		return errors.New("the program yields something that is not JSON")
	}
	if len(w.out) > MaxOutput {
		return errOutput
	}
	return nil
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

// float writes what is no number as jq does: not-a-number as null, infinity as
// the greatest number.
func (w *writer) float(f float64) {
	if math.IsNaN(f) {
		w.raw("null")
		return
	}
	f = min(max(f, -math.MaxFloat64), math.MaxFloat64)
	if f == 0 {
		f = 0 // minus zero is written without its sign in JavaScript
	}
	text, err := json.Marshal(f)
	if err != nil {
		w.raw("null")
		return
	}
	w.out = append(w.out, text...)
}

func (w *writer) array(list []any) error {
	w.raw("[")
	for i, element := range list {
		if i > 0 {
			w.raw(",")
		}
		if err := w.value(element); err != nil {
			return err
		}
	}
	w.raw("]")
	return nil
}

func (w *writer) object(fields map[string]any) error {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareKeys)
	w.raw("{")
	for i, key := range keys {
		if i > 0 {
			w.raw(",")
		}
		w.out = webhook.AppendText(w.out, key)
		w.raw(":")
		if err := w.value(fields[key]); err != nil {
			return err
		}
	}
	w.raw("}")
	return nil
}

// compareKeys puts whole numbers first, as every JavaScript engine does.
func compareKeys(a, b string) int {
	x, xOK := arrayIndex(a)
	y, yOK := arrayIndex(b)
	switch {
	case xOK && yOK:
		return cmp.Compare(x, y)
	case xOK:
		return -1
	case yOK:
		return 1
	}
	return strings.Compare(a, b)
}

func arrayIndex(key string) (uint64, bool) {
	if len(key) == 0 || len(key) > 10 || len(key) > 1 && key[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(key, 10, 64)
	return n, err == nil && n < math.MaxUint32 && key[0] != '+'
}

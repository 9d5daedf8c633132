package store_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// hard holds text that is easily damaged on its way: quotes and backslashes,
// patterns, line ends, an emoji of several characters, U+2028, a letter with
// separate marks beside the composed one, text from right to left, characters
// of no use, and the last one there is.
const hard = "'\"`\\ %_*? \t\r\n 👩‍👩‍👧 \u2028\u2029 e\u0301é ﬁß İı שלום \u200b\ufeff\ufffd\uffff \U0010ffff"

// fill sets every field of a row to something, different for every field and
// seed, so that no value can be lost or land in another field unseen.
func fill[T any](row *T, seed int) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		fillValue(v.Field(i), seed*100+i)
	}
}

func fillValue(v reflect.Value, n int) {
	switch value := v.Addr().Interface().(type) {
	case *time.Time:
		*value = time.UnixMilli(1_700_000_000_123 + int64(n)).UTC()
		return
	case *billing.Date:
		*value = billing.Date{Year: 2000, Month: time.January, Day: 1}.AddDays(n)
		return
	case *json.RawMessage:
		// As billing.Changes makes them: JSON of JSON is left as it is then.
		text, err := json.Marshal(fmt.Sprintf("%d %s", n, hard))
		if err != nil {
			panic(err)
		}
		*value = text
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%d %s", n, hard))
	case reflect.Int, reflect.Int64:
		v.SetInt(1<<53 - 1 - int64(n)) // the largest number that JSON is exact for
	case reflect.Bool:
		v.SetBool(n < 200 || n%2 == 0) // all of the first seed, every other one after
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(v.Index(0), n)
		fillValue(v.Index(1), n+50)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(n+i) % 256)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprintf("%d %s", n, hard)))
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), n+10*i)
		}
	case reflect.Map:
		element := reflect.New(v.Type().Elem()).Elem()
		fillValue(element, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(hard), element)
	default:
		panic("no way to fill a " + v.Type().String())
	}
}

func TestFillLeavesNothingOut(t *testing.T) {
	var c catalog.Charge
	fill(&c, 1)
	v := reflect.ValueOf(c)
	seen := map[string]string{}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() {
			t.Errorf("%s was left zero", name)
		}
		value := fmt.Sprint(reflect.Indirect(v.Field(i)).Interface())
		if seen[value] != "" {
			t.Errorf("%s and %s have the same value %s", name, seen[value], value)
		}
		seen[value] = name
	}
}

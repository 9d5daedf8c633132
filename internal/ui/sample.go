package ui

import (
	"reflect"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// sample fills a value so that every branch of a template that depends on
// something being there is taken.
func sample[T any](into *T) { fillSample(reflect.ValueOf(into).Elem(), 0) }

// sampleDepth bounds types that hold themselves.
const sampleDepth = 12

func fillSample(v reflect.Value, depth int) {
	if depth > sampleDepth || !v.CanSet() {
		return
	}
	switch value := v.Addr().Interface().(type) {
	case *time.Time:
		*value = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
		return
	case *billing.Date:
		*value = billing.Date{Year: 2026, Month: time.January, Day: 15}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillSample(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillSample(v.Index(0), depth+1)
		fillSample(v.Index(1), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fillSample(v.Field(i), depth+1)
		}
	}
}

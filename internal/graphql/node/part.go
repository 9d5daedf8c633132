package node

import (
	"encoding/json"
	"io"
)

// jsonPart returns the part of a JSON object that is found along a path, with
// numbers as they were written.
func jsonPart(text io.Reader, path ...string) (json.RawMessage, error) {
	var part json.RawMessage
	if err := json.NewDecoder(text).Decode(&part); err != nil {
		return nil, err
	}
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(part, &object); err != nil {
			return nil, err
		}
		part = object[name]
	}
	return part, nil
}

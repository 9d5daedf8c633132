package graphql

import "unicode/utf8"

// maxMessage is how many bytes the message of an error may have. Messages
// repeat what is wrong, which may be as long as a request.
const maxMessage = 2_000

// bounded shortens a message that is too long.
func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := maxMessage
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}

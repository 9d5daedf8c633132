// Package mail writes e-mail and hands it to a mail server. It has three parts:
//
//   - Message is an e-mail, and Encode its form on the wire (message.go).
//   - Sender hands a message to a server over SMTP and says what has come of it:
//     delivered, refused for good, or to be tried again (sender.go).
//   - Template is what a message says about an invoice, a payment or a payment
//     method. Templates in English, German and French are built in; operators can
//     write their own, which Check accepts only if Render cannot fail (template.go).
//
// The package stores nothing, reads no clock and decides neither who gets a message
// nor when it is tried again.
package mail

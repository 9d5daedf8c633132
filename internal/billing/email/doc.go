// Package email has the rules of e-mail to customers: what becomes of a message when the
// mail server has answered, and what operators may change about its text. What a message
// says is in package mail.
package email

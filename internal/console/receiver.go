package console

import (
	"io"
	"net/http"
)

// ReceiverPath is where the server takes webhooks itself, for those who want to
// see one arrive before their application can take it.
const ReceiverPath = "/receiver"

// receiverNote is what to know of a platform whose webhooks go there.
const receiverNote = " go to this server's own receiver, which discards them: your application does not get them. Give the platform its address once it can."

// takeWebhook takes a webhook and forgets it. What was in it is in the log of
// those that were sent; here is nothing that a stranger could fill or read.
func takeWebhook(c *call) error {
	if _, err := io.Copy(io.Discard, c.r.Body); err != nil {
		return formError(err)
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	c.w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(c.w, "Accepted and discarded by Tenantry's own receiver.\n") // whoever sent it is gone
	return nil
}

// goesToReceiver reports whether an address is that of the server's own
// receiver.
func (c *Console) goesToReceiver(url *string) bool {
	return url != nil && c.receiver != "" && *url == c.receiver
}

// receiverHelp says of the server's own receiver beside the field that could
// have its address.
func (c *Console) receiverHelp() string {
	if c.receiver == "" {
		return ""
	}
	return " No application yet? " + c.receiver + " is a receiver in this server: it shows webhooks and discards them."
}

package invoicing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/print"
	"github.com/tenantry/tenantry/internal/store"
)

// The media types of the files of a document.
const (
	PDF  = "application/pdf"
	HTML = "text/html; charset=utf-8"
)

// itemsAtOnce is how many items are read at once to be printed.
const itemsAtOnce = 1000

// File returns the file of a document, which is made when somebody first asks for
// it and stays the same from then on; nil if there is no such document. A draft is
// printed anew each time.
func (s *Service) File(ctx context.Context, uuid, mediaType string) (*store.DocumentFile, error) {
	known, err := store.FindDocumentFile(ctx, s.Read(), uuid, mediaType)
	if err != nil || known != nil {
		return known, err
	}
	d, err := s.printable(ctx, uuid)
	if err != nil || d == nil {
		return nil, err
	}
	var text bytes.Buffer
	if mediaType == PDF {
		err = d.PDF(&text)
	} else {
		err = d.HTML(&text)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text.Bytes())
	file := &store.DocumentFile{UUID: uuid, MediaType: mediaType, SHA256: hex.EncodeToString(sum[:]), Content: text.Bytes()}
	if d.Number == "" {
		return file, nil
	}
	if err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error { return store.InsertDocumentFile(ctx, tx, file) }); err != nil {
		return nil, err
	}
	// Somebody else may have been quicker, with another version of the program.
	return store.FindDocumentFile(ctx, s.Read(), uuid, mediaType)
}

// printable is a document as it is printed, nil if there is none.
func (s *Service) printable(ctx context.Context, uuid string) (*print.Document, error) {
	i, err := store.InvoiceByUUID(ctx, s.Read(), uuid)
	if err != nil {
		return nil, err
	}
	var d print.Document
	var entity billing.EntityID
	if i != nil {
		if i.Kind == document.ImportedInvoice {
			return nil, billing.Fail(billing.NotAllowed, "uuid", "Invoice %s was imported: its file is in the system that issued it.", i.Number)
		}
		entity = i.EntityID
		if d, err = print.OfInvoice(i); err != nil {
			return nil, err
		}
		d.Lines = print.InvoiceLines(s.items(ctx, i.ID))
	} else {
		note, err := store.CreditNoteByUUID(ctx, s.Read(), uuid)
		if err != nil || note == nil {
			return nil, err
		}
		entity = note.EntityID
		if d, err = s.printableNote(ctx, note); err != nil {
			return nil, err
		}
	}
	seller, err := store.Entities.Get(ctx, s.Read(), entity)
	if err == nil && seller != nil && seller.Logo != nil {
		d.Seller.Logo = *seller.Logo
	}
	return &d, err
}

func (s *Service) printableNote(ctx context.Context, note *document.CreditNote) (print.Document, error) {
	one := []document.CreditNote{*note}
	if err := withCreditItems(ctx, s.Read(), one); err != nil {
		return print.Document{}, err
	}
	d, err := print.OfCreditNote(&one[0])
	if err != nil {
		return d, err
	}
	var ids []billing.InvoiceID
	for n := range one[0].Items {
		ids = append(ids, one[0].Items[n].InvoiceID)
	}
	invoices, err := store.Invoices.ByIDs(ctx, s.Read(), ids)
	for n := range invoices {
		d.Credited = append(d.Credited, print.Reference{ID: int64(invoices[n].ID), Number: invoices[n].Number, IssuedAt: invoices[n].IssuedAt})
	}
	return d, err
}

// items reads the items of an invoice, some at a time.
func (s *Service) items(ctx context.Context, id billing.InvoiceID) iter.Seq2[document.Item, error] {
	return func(yield func(document.Item, error) bool) {
		for last := 0; ; {
			items, err := store.ItemsAfter(ctx, s.Read(), id, last, itemsAtOnce)
			if err != nil {
				yield(document.Item{}, err)
				return
			}
			for n := range items {
				if last = items[n].Position; !yield(items[n], nil) {
					return
				}
			}
			if len(items) < itemsAtOnce {
				return
			}
		}
	}
}

// FileRef tells about a file of a document.
type FileRef struct {
	MediaType string
	// SHA256 is empty until the file was made, and that of a draft always is.
	SHA256 string
	name   string
}

// FilesOfInvoices tells about the files of invoices. No file is made.
func (s *Service) FilesOfInvoices(ctx context.Context, invoices []document.Invoice) (map[string][]FileRef, error) {
	ids, uuids := make([]billing.InvoiceID, len(invoices)), make([]string, len(invoices))
	for n := range invoices {
		ids[n], uuids[n] = invoices[n].ID, invoices[n].UUID
	}
	made, err := store.FilesOfInvoices(ctx, s.Read(), ids)
	return fileRefs(uuids, made), err
}

// FilesOfCreditNotes tells about the files of credit notes. No file is made.
func (s *Service) FilesOfCreditNotes(ctx context.Context, notes []document.CreditNote) (map[string][]FileRef, error) {
	ids, uuids := make([]billing.CreditNoteID, len(notes)), make([]string, len(notes))
	for n := range notes {
		ids[n], uuids[n] = notes[n].ID, notes[n].UUID
	}
	made, err := store.FilesOfCreditNotes(ctx, s.Read(), ids)
	return fileRefs(uuids, made), err
}

// fileRefs are the files of documents, by UUID, with what is known of those that have
// been made.
func fileRefs(uuids []string, made []store.DocumentFile) map[string][]FileRef {
	sums := make(map[[2]string]string, len(made))
	for n := range made {
		sums[[2]string{made[n].UUID, made[n].MediaType}] = made[n].SHA256
	}
	of := make(map[string][]FileRef, len(uuids))
	for _, uuid := range uuids {
		of[uuid] = []FileRef{
			{PDF, sums[[2]string{uuid, PDF}], uuid + ".pdf"},
			{HTML, sums[[2]string{uuid, HTML}], uuid + ".html"},
		}
	}
	return of
}

// URL is where the file can be opened by whoever has the address, for a while from
// now on.
func (s *Service) URL(f *FileRef) string {
	return s.BaseURL + s.FileAddress(f.name, s.Store.Clock().Now())
}

// fileLasts is how long an address works that anybody can open who has it.
const fileLasts = 15 * time.Minute

// FileAddress is the path of a file of a document, signed, so that whoever has it
// can open it for a while. name is the document's UUID with .pdf or .html.
func (s *Service) FileAddress(name string, now time.Time) string {
	expires := strconv.FormatInt(now.Add(fileLasts).Unix(), 10)
	return "/documents/" + name + "?expires=" + expires + "&signature=" + s.box.Sign("document", name+"?"+expires)
}

// FileAddressHolds reports whether a signature allows to open a file now.
func (s *Service) FileAddressHolds(name, expires, signature string, now time.Time) bool {
	at, err := strconv.ParseInt(expires, 10, 64)
	return err == nil && now.Unix() < at && s.box.Signed("document", name+"?"+expires, signature)
}

package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// DocumentFile is a file of a document.
type DocumentFile struct {
	invoicing.FileRef
	service *invoicing.Service
}

// Sha256 is none until the file was made.
func (f *DocumentFile) Sha256() *string { return textOrNone(f.SHA256) }

// URL is signed when somebody asks for it.
func (f *DocumentFile) URL() string { return f.service.URL(&f.FileRef) }

// Files are those of the invoice, none of a preview.
func (i *Invoice) Files(ctx context.Context) ([]*DocumentFile, error) {
	if i.ID == 0 {
		return nil, nil
	}
	return filesOf(ctx, i.group, i.UUID, i.group.reader.Service.Invoicing.FilesOfInvoices)
}

// Files are those of the credit note, none of a preview.
func (c *CreditNote) Files(ctx context.Context) ([]*DocumentFile, error) {
	if c.ID == 0 {
		return nil, nil
	}
	return filesOf(ctx, c.group, c.UUID, c.group.reader.Service.Invoicing.FilesOfCreditNotes)
}

func filesOf[T any](ctx context.Context, g *group[T], uuid string, find func(context.Context, []T) (map[string][]invoicing.FileRef, error)) ([]*DocumentFile, error) {
	found, err := together(g, "files", func(rows []T) (map[string][]invoicing.FileRef, error) { return find(ctx, rows) })
	files := make([]*DocumentFile, 0, len(found[uuid]))
	for _, ref := range found[uuid] {
		files = append(files, &DocumentFile{ref, g.reader.Service.Invoicing})
	}
	return files, err
}

package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // registers its format
	_ "image/png"  // registers its format
)

// ImageID is an image in a file.
type ImageID int

const (
	// maxPixels bounds what an image takes in memory while it is read: up to 4 bytes
	// each.
	maxPixels = 16_000_000
	// maxSide is how many pixels a side has in a file. Larger images are reduced.
	maxSide = 1200
)

// Errors of images.
var (
	ErrImageFormat = errors.New("the image is neither a PNG nor a JPEG file")
	ErrImageSize   = fmt.Errorf("the image has more than %d pixels", maxPixels)
)

// Image is a PNG or JPEG file that was found to be one.
type Image struct {
	Width, Height int
	Format        string // png or jpeg
	Data          []byte
	model         color.Model
}

// ParseImage looks at an image without reading its pixels.
func ParseImage(data []byte) (*Image, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width <= 0 || config.Height <= 0 {
		return nil, ErrImageFormat
	}
	i := &Image{config.Width, config.Height, format, data, config.ColorModel}
	if !i.isEmbeddable() && i.Width > maxPixels/i.Height {
		return nil, ErrImageSize
	}
	return i, nil
}

// isEmbeddable reports whether the image can be part of a file as it is.
func (i *Image) isEmbeddable() bool {
	return i.Format == "jpeg" && (i.model == color.YCbCrModel || i.model == color.GrayModel)
}

// Image adds an image to the file. JPEG files are embedded as they are.
func (w *Writer) Image(i *Image) (ImageID, error) {
	const entries = "/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8"
	if i.isEmbeddable() {
		space := "/DeviceRGB"
		if i.model == color.GrayModel {
			space = "/DeviceGray"
		}
		number := w.reserve()
		w.rawStream(number, fmt.Sprintf(entries+" /ColorSpace %s /Filter /DCTDecode", i.Width, i.Height, space), i.Data)
		return w.addImage(number), nil
	}
	decoded, _, err := image.Decode(bytes.NewReader(i.Data))
	if err != nil {
		return 0, ErrImageFormat
	}
	pixels := reduce(decoded)
	var colors, alphas []byte
	for n := 0; n < len(pixels.Pix); n += 4 {
		colors = append(colors, pixels.Pix[n:n+3]...)
		alphas = append(alphas, pixels.Pix[n+3])
	}
	object := fmt.Sprintf(entries, pixels.Rect.Dx(), pixels.Rect.Dy())
	mask := w.reserve()
	w.stream(mask, object+" /ColorSpace /DeviceGray", alphas)
	number := w.reserve()
	w.stream(number, fmt.Sprintf("%s /ColorSpace /DeviceRGB /SMask %d 0 R", object, mask), colors)
	return w.addImage(number), nil
}

// reduce copies an image. One that is too large becomes smaller by a whole factor,
// and its pixels are the means of those that they stand for.
func reduce(from image.Image) *image.NRGBA {
	bounds := from.Bounds()
	factor := (max(bounds.Dx(), bounds.Dy()) + maxSide - 1) / maxSide
	to := image.NewNRGBA(image.Rect(0, 0, max(1, bounds.Dx()/factor), max(1, bounds.Dy()/factor)))
	if factor == 1 {
		draw.Draw(to, to.Rect, from, bounds.Min, draw.Src)
		return to
	}
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			area := image.Rect(x*factor, y*factor, (x+1)*factor, (y+1)*factor).Add(bounds.Min).Intersect(bounds)
			to.Set(x, y, mean(from, area))
		}
	}
	return to
}

// mean is the mean color of an area.
func mean(of image.Image, area image.Rectangle) color.Color {
	var sum [4]uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, b, a := of.At(x, y).RGBA()
			sum[0], sum[1], sum[2], sum[3] = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(b), sum[3]+uint64(a)
		}
	}
	n := uint64(area.Dx() * area.Dy())
	return color.RGBA64{uint16(sum[0] / n), uint16(sum[1] / n), uint16(sum[2] / n), uint16(sum[3] / n)}
}

func (w *Writer) addImage(object int) ImageID {
	w.images = append(w.images, object)
	return ImageID(len(w.images) - 1)
}

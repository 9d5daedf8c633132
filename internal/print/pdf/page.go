package pdf

// Page is the page that is being written. Places are in points from its top left
// corner; those of text are where its baseline begins.
type Page struct {
	file    *Writer
	content []byte
}

// Color is red, green and blue, each from 0 to 255.
type Color [3]uint8

func (p *Page) begin() { p.content = p.content[:0] }

// op appends numbers and an operator.
func (p *Page) op(operator string, operands ...float64) {
	for _, v := range operands {
		p.content = append(appendNumber(p.content, v), ' ')
	}
	p.content = append(append(p.content, operator...), '\n')
}

// color appends a color and the operator that sets it.
func (p *Page) color(c Color, operator string) {
	p.op(operator, float64(c[0])/255, float64(c[1])/255, float64(c[2])/255)
}

// Style is how text is drawn.
type Style struct {
	Font  FontID
	Size  float64
	Color Color
	// Bold draws the outlines as well, for fonts that have no bold face.
	Bold bool
}

// Text draws text that begins at a place.
func (p *Page) Text(x, y float64, s Style, text string) {
	p.text([6]float64{1, 0, 0, 1, x, p.file.height - y}, s, text)
}

// Turned draws text that rises with the sine and cosine of an angle.
func (p *Page) Turned(x, y, sin, cos float64, s Style, text string) {
	p.text([6]float64{cos, sin, -sin, cos, x, p.file.height - y}, s, text)
}

func (p *Page) text(matrix [6]float64, s Style, text string) {
	if text == "" {
		return
	}
	p.content = append(p.content, "BT\n/F"...)
	p.content = append(appendNumber(p.content, float64(s.Font)), ' ')
	p.op("Tf", s.Size)
	p.color(s.Color, "rg")
	if s.Bold {
		p.color(s.Color, "RG")
		p.op("w", s.Size/36)
		p.op("Tr", 2)
	}
	p.op("Tm", matrix[:]...)
	p.content = append(p.content, '<')
	subset := p.file.subsets[s.Font]
	const digits = "0123456789ABCDEF"
	for _, r := range text {
		c := subset.code(r)
		p.content = append(p.content, digits[c>>12], digits[c>>8&15], digits[c>>4&15], digits[c&15])
	}
	p.content = append(p.content, "> Tj\n"...)
	if s.Bold {
		p.op("Tr", 0)
	}
	p.content = append(p.content, "ET\n"...)
}

// Line draws a line.
func (p *Page) Line(x1, y1, x2, y2, width float64, c Color) {
	p.color(c, "RG")
	p.op("w", width)
	p.op("m", x1, p.file.height-y1)
	p.op("l", x2, p.file.height-y2)
	p.op("S")
}

// Fill fills a rectangle.
func (p *Page) Fill(x, y, width, height float64, c Color) {
	p.color(c, "rg")
	p.op("re", x, p.file.height-y-height, width, height)
	p.op("f")
}

// Image draws an image into a rectangle.
func (p *Page) Image(x, y, width, height float64, image ImageID) {
	p.op("q")
	p.op("cm", width, 0, 0, height, x, p.file.height-y-height)
	p.content = append(p.content, "/I"...)
	p.content = appendNumber(p.content, float64(image))
	p.content = append(p.content, " Do\nQ\n"...)
}

// Total draws on this page what Writer.Close is given to say how many pages
// there are.
func (p *Page) Total() { p.content = append(p.content, "/Total Do\n"...) }

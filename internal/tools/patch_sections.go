package tools

import "strings"

// sections reads the form *** Begin Patch, from behind that line.
func (p *patchReader) sections() {
	for !p.done() {
		line := p.peek()
		switch {
		case strings.TrimSpace(line) == "":
			p.at++
		case line == "*** End Patch":
			p.at++
			if p.blank(); !p.done() {
				p.fail("something follows the end of the patch")
			}
			return
		default:
			p.section(line)
		}
	}
	p.fail("the patch does not end")
}

// section reads one file, whose header is line.
func (p *patchReader) section(line string) {
	if path, ok := strings.CutPrefix(line, "*** Add File: "); ok {
		p.out = append(p.out, PatchPath{Path: p.checkPath(path), Op: PatchAdd})
		p.at++
		p.body("+")
		return
	}
	if path, ok := strings.CutPrefix(line, "*** Delete File: "); ok {
		p.out = append(p.out, PatchPath{Path: p.checkPath(path), Op: PatchDelete})
		p.at++
		p.body("")
		return
	}
	path, ok := strings.CutPrefix(line, "*** Update File: ")
	if !ok {
		p.fail("no header of a file")
		return
	}
	out := PatchPath{Path: p.checkPath(path)}
	p.at++
	if to, ok := strings.CutPrefix(p.peek(), "*** Move to: "); ok {
		out.Op, out.MovedTo = PatchMove, p.checkPath(to)
		p.at++
	}
	p.out = append(p.out, out)
	p.body(" +-@")
}

// body skips the lines of a file, which start with one of the marks.
func (p *patchReader) body(marks string) {
	for ; !p.done(); p.at++ {
		line := p.peek()
		switch {
		case strings.TrimSpace(line) == "":
		case line == "*** End of File" && len(marks) > 1:
		case strings.HasPrefix(line, "*"):
			return
		case strings.IndexByte(marks, line[0]) < 0:
			p.fail("not a line of a patch")
		case strings.HasPrefix(strings.TrimSpace(line), "***"):
			// Some programs look for headers behind blanks, too.
			p.fail("a header that is indented")
		}
	}
}

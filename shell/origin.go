package shell

// An Origin is where code comes from that a command runs and that is not
// written in the command line or in a file of the project.
type Origin uint8

const (
	NoOrigin      Origin = iota // nothing of the kind
	UnknownOrigin               // it cannot be known
	Decoded                     // the result of decoding something
	Fetched                     // sent by a server
)

var originNames = [...]string{"none", "unknown", "decoded", "fetched"}

// String returns the origin in lower case.
func (o Origin) String() string {
	if int(o) < len(originNames) {
		return originNames[o]
	}
	return "unknown"
}

// MarshalText writes the name of the origin.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// origin is where the text of a stream comes from.
func (k streamKind) origin() Origin {
	switch k {
	case streamNetwork:
		return Fetched
	case streamDecoded:
		return Decoded
	case streamUnknown:
		return UnknownOrigin
	}
	return NoOrigin
}

// A foreignFile is a file that an earlier command of the same script has filled
// with text that came from somewhere else.
type foreignFile struct {
	abs  string
	kind streamKind
}

// fills notes that the files a command writes hold what came from somewhere
// else: curl -o x, curl … > x, … | tee x.
func (w *walker) fills(c *Command, kind streamKind) {
	if kind != streamNetwork && kind != streamDecoded || len(w.foreign) >= maxVars {
		return
	}
	for _, p := range c.Paths {
		if p.Access == Write && p.Abs != "" {
			w.foreign = append(w.foreign, foreignFile{p.Abs, kind})
		}
	}
}

// runsFile notes that a command runs the file abs, which an earlier command may
// have fetched.
func (w *walker) runsFile(c *Command, abs string) {
	for _, f := range w.foreign {
		if f.abs == abs {
			c.Runs = max(c.Runs, f.kind.origin())
			c.doubt(Dangerous, stream{kind: f.kind}.source())
		}
	}
}

package cli

import (
	"cmp"
	"fmt"

	"github.com/sayso-dev/sayso/internal/config"
)

// policy tells which policy is in force, and what of it does not count.
func (r *doctorReport) policy(home, name string, std IO) {
	p, err := loadAs(r.Root, home, name, "", std)
	if err != nil {
		r.add(problem, "policy", err.Error(), "until it is mended every call is denied")
		return
	}
	broken := split(p.Err)
	for _, one := range broken {
		r.add(problem, "policy", one.Error(), "mend it: until then every call is denied")
	}
	for _, one := range brokenScripts(p.Scripts, std) {
		r.add(problem, "script", one.Error(), "mend it: until then every call asks")
	}
	for _, s := range p.Sources {
		if !s.Missing && len(broken) == 0 {
			r.add(fine, "policy", s.File+" is in force ("+string(s.Layer)+")", "")
		}
	}
	if !anyThere(p.Sources) {
		r.add(note, "policy", "there is no policy file: the built-in defaults hold", "sayso init claude writes one to start from")
	}
	for _, d := range p.Dropped {
		r.add(note, "policy", fmt.Sprintf("%s: %s does not count: %s", d.Source, d.What, d.Why), cmp.Or(d.Remedy, "put it into a file of your own: sayso rule add, or ~/.config/sayso/policy.yaml"))
	}
	for _, f := range aboutRules(p.Rules, capabilities(&p.Policy)...) {
		remedy := f.Remedy
		f.Remedy = ""
		r.add(note, "rule", f.text(), cmp.Or(remedy, "sayso rule rm, or change the file"))
	}
	preset := p.engine.Preset
	mode := p.engine.Mode("")
	if mode == "" && len(preset.Modes) > 0 {
		mode = preset.Modes[0].Name
	}
	from := ""
	if p.Mode == mode && p.Mode != "" {
		from = ", set in " + p.ModeFrom.String()
	}
	r.add(fine, "mode", fmt.Sprintf("preset %s, mode %s%s", cmp.Or(preset.Name, "native"), mode, from), "")
}

func anyThere(sources []config.Stamp) bool {
	for _, s := range sources {
		if !s.Missing {
			return true
		}
	}
	return false
}

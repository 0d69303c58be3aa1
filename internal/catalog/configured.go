package catalog

import (
	"errors"
	"strings"

	"github.com/sayso-dev/sayso/internal/config"
)

// Configured makes the preset of a file that a person has given explicitly, and
// so trusts: YAML or JSON, as the system has it. The rules of the policy that deny
// and ask still hold.
func (s System) Configured(file config.Other, at Place, p config.Policy) (Setup, error) {
	setup, err := s.configure(file, at)
	if err != nil {
		return Setup{}, err
	}
	setup.Preset = tighten(setup.Preset, p)
	return setup, nil
}

func (s System) configure(file config.Other, at Place) (Setup, error) {
	if s.FromFile != nil {
		return s.FromFile(file, at)
	}
	raw, marks, err := file.JSON()
	if err != nil {
		return Setup{}, err
	}
	setup, err := s.FromJSON(raw, at)
	if err != nil {
		return Setup{}, inFile(marks, err)
	}
	return setup, nil
}

// inFile gives errors that name a key their places in a file; others that of the
// file.
func inFile(marks config.Marks, err error) error {
	var out []error
	for _, one := range unjoin(err) {
		var wrong *KeyError
		if !errors.As(one, &wrong) {
			out = append(out, marks.Error("", strings.TrimPrefix(one.Error(), "config: "), ""))
			continue
		}
		key := wrong.Key
		for !marks.Has(key) && strings.ContainsAny(key, ".[") { // it is missing: where it should be
			key = key[:strings.LastIndexAny(key, ".[")]
		}
		out = append(out, marks.Error(key, wrong.Key+": "+wrong.Problem, wrong.Hint))
	}
	return errors.Join(out...)
}

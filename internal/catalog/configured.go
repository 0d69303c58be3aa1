package catalog

import "github.com/sayso-dev/sayso/internal/config"

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
	raw, err := file.JSON()
	if err != nil {
		return Setup{}, err
	}
	return s.FromJSON(raw, at)
}

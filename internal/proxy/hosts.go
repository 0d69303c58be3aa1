package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// parse reads a host and a port as a program names them.
func parse(host, port string) (Target, error) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return Target{}, fmt.Errorf("%q is no port", port)
	}
	name, err := clean(host)
	return Target{name, uint16(n)}, err
}

// parsePair reads host:port.
func parsePair(text string) (Target, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Target{}, err
	}
	return parse(host, port)
}

// clean is a host in the form in which hosts are compared.
func clean(host string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" {
			return "", fmt.Errorf("the address %q is of one network only", host)
		}
		return a.Unmap().String(), nil
	}
	if host == "" || len(host) > 253 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.Contains(host, "..") || host[0] == '.' {
		return "", fmt.Errorf("%q is no name of a host", host)
	}
	if endsInNumber(host) {
		return "", fmt.Errorf("%q is no name of a host, but an address that is written in another way: write it as usual", host)
	}
	return host, nil
}

// endsInNumber reports whether a host is what some programs take for an address, as
// 2130706433, 0x7f.1 or 127.1: nobody may decide about the address, and then look it up
// as a name.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// listed reports whether a target may be reached without asking. A pattern stands for
// names only: an address must be listed as such.
func (p *Proxy) listed(t Target) bool {
	for _, entry := range p.Hosts {
		if covers(entry, t) {
			return true
		}
	}
	return false
}

// covers reports whether an entry of the list is about a target.
func covers(entry string, t Target) bool {
	host, port := entry, ""
	if h, n, err := net.SplitHostPort(entry); err == nil {
		host, port = h, n
	}
	switch port {
	case "":
		if t.Port != 80 && t.Port != 443 {
			return false
		}
	default:
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || uint16(n) != t.Port {
			return false
		}
	}
	end, pattern := strings.CutPrefix(strings.ToLower(host), "*")
	if !pattern {
		name, err := clean(host)
		return err == nil && name == t.Host
	}
	_, err := netip.ParseAddr(t.Host)
	return err != nil && strings.HasSuffix(t.Host, end) && len(t.Host) > len(end)
}

// addresses looks a target up. Addresses of this machine, of its neighbours and of the
// services that a cloud has for a machine are left out, unless they are what was listed
// or approved: a name must not lead to them.
func (p *Proxy) addresses(ctx context.Context, t Target, made *Connection) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(t.Host); err == nil {
		return []netip.Addr{a}, nil
	}
	resolve := p.Resolve
	if resolve == nil {
		resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host+".")
		}
	}
	all, err := resolve(ctx, t.Host)
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range all {
		a = a.Unmap().WithZone("")
		made.Address = a.String()
		if p.public(a) || p.listed(Target{a.String(), t.Port}) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		if len(all) == 0 {
			return nil, errors.New("the name has no address")
		}
		return nil, &refusal{fmt.Errorf("the name leads to %s, which is no address of the internet: if that is meant, list the address as well", all[0])}
	}
	return out, nil
}

// notPublic are addresses that are not one machine of the internet, beside those that
// package netip knows; one of them is that of a cloud's own services for a machine.
var notPublic = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "168.63.129.16/32", "2002::/16", "2001::/23", "fec0::/10", "::/96")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}

// near are the networks that this machine has addresses in, and so its own addresses:
// what listens there may be meant for this machine and its neighbours alone.
func near() ([]netip.Prefix, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Prefix
	for _, one := range all {
		if prefix, err := netip.ParsePrefix(one.String()); err == nil {
			out = append(out, prefix)
		}
	}
	return out, nil
}

// public reports whether an address is one machine of the internet, and neither this one
// nor one beside it.
func (p *Proxy) public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	find := near
	if p.Near != nil {
		find = p.Near
	}
	networks, err := find()
	if err != nil {
		return false
	}
	for _, n := range slices.Concat(notPublic, networks) {
		if n.Contains(a) {
			return false
		}
	}
	return true
}

package tui

// A list is a cursor in rows that come and go. It stays on the row that it is on,
// also when others arrive before it.
type list struct {
	ids []string
	at  int
	top int // the first row that is shown
}

func (l *list) len() int { return len(l.ids) }

// set takes the rows that there are now, by what identifies them.
func (l *list) set(ids []string) {
	on := ""
	if l.at < len(l.ids) {
		on = l.ids[l.at]
	}
	l.ids = ids
	for i, id := range ids {
		if id == on {
			l.at = i
			return
		}
	}
	l.at = max(0, min(l.at, len(ids)-1))
}

// key moves the cursor; false: the key does something else.
func (l *list) key(name string, page int) bool {
	switch name {
	case "up", "k":
		l.at--
	case "down", "j":
		l.at++
	case "pgup":
		l.at -= page
	case "pgdown", "space":
		l.at += page
	case "home", "g":
		l.at = 0
	case "end", "G":
		l.at = len(l.ids) - 1
	default:
		return false
	}
	l.at = max(0, min(l.at, len(l.ids)-1))
	return true
}

// window is what is shown: the rows from one to before the other.
func (l *list) window(page int) (from, to int) {
	page = max(page, 1)
	l.top = max(0, min(l.top, len(l.ids)-page))
	if l.at < l.top {
		l.top = l.at
	}
	if l.at >= l.top+page {
		l.top = l.at - page + 1
	}
	return l.top, min(len(l.ids), l.top+page)
}

package hook

import (
	"strings"

	"github.com/sayso-dev/sayso"
)

// alternatives say what would be allowed in place of what was denied, by the code of
// the denial or the first word of it. The most specific one comes first.
var alternatives = []struct{ code, text string }{
	{"guard.destroy", "Allowed instead: to delete by name what is in the workspace and can be made again"},
	{"guard.own", "Allowed instead: to read it, and to tell your user what should change there"},
	{"guard.self", "Allowed instead: to tell your user what you want to do; sayso check tells what would be decided"},
	{"guard.page", "Allowed instead: to wait until your user has answered"},
	{"guard.fetched", "Allowed instead: to save it to a file in the workspace, read it, and run that"},
	{"guard.decoded", "Allowed instead: to write it to a file in the workspace in plain text, and run that"},
	{"guard.leak", "Allowed instead: to work with the file without sending what is in it anywhere"},
	{"guard.typed", "Allowed instead: to give the program its commands at once, as in bash -c 'COMMAND' or with a file that is run"},
	{"guard.", "Allowed instead: to change files in the workspace, and to tell your user what is to be done outside"},
	{"mode.plan", "Allowed instead: to read, to search, and to write the plan into your answer"},
	{"agent.", "Allowed instead: to read and to search"},
	{"capability.", "Allowed instead: what needs nothing of that"},
	{"surface", "Allowed instead: the tools that you are offered"},
	{"rule.deny", "Allowed instead: what the rule does not mean; it is your user who can change it"},
	{"denied.before", "Allowed instead: something else; your user has said no to this, and does not want it in another form"},
	{"person.no", "Allowed instead: something else; your user has said no to this, and does not want it in another form"},
	{"unattended", "Allowed instead: work in the workspace that can be undone"},
	{"person.none", "Allowed instead: work in the workspace that can be undone, until somebody is there to answer"},
	{"timeout", "Allowed instead: work in the workspace that can be undone, until somebody is there to answer"},
	{"policy", "Allowed instead: nothing until your user has mended the policy: sayso doctor"},
	{"input", "Allowed instead: the same with arguments that can be read"},
	{"error", "Allowed instead: nothing until your user has mended it: sayso doctor"},
}

// instead is what would be allowed in place of a call that was denied.
func instead(code sayso.Code) string {
	for _, a := range alternatives {
		if string(code) == a.code || strings.HasSuffix(a.code, ".") && strings.HasPrefix(string(code), a.code) {
			return ". " + a.text + "."
		}
	}
	return ""
}

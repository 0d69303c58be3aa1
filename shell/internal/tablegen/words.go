package main

import (
	"bytes"
	"strings"
)

// The words of the tables and the Go names they become. A word that package
// shell does not know fails to compile there.
var effects = map[string]string{
	"reads": "Reads", "writes": "Writes", "deletes": "Deletes", "executes": "Executes",
	"installs": "Installs", "network": "Network", "permissions": "Permissions",
	"privilege": "Privilege", "processes": "Processes", "system": "System",
	"irreversible": "Irreversible", "publishes": "Publishes", "longrunning": "LongRunning", "secrets": "Secrets",
}

var risks = map[string]string{
	"safe": "levelSafe", "moderate": "levelModerate", "dangerous": "levelDangerous", "blocked": "levelBlocked",
}

var traits = map[string]string{
	"wrapper": "isWrapper", "interpreter": "isInterpreter", "shell": "isShell", "recursive": "isRecursive",
	"dashword": "isDashword", "bundled": "isBundled", "posix": "isPosix", "elsewhere": "isElsewhere",
	"nohelp": "isNoHelp", "global": "isGlobal", "fromhere": "isFromHere", "joined": "isJoined",
	"oldshell": "isOldShell", "othershell": "isOtherShell", "chained": "isChained",
	"thisshell": "isThisShell", "globcode": "isGlobCode", "saves": "isSaves", "bare": "isBare",
	"wrapping": "isWrapping", "scripting": "isScripting",
}

var kinds = map[string]string{
	"text": "kindText", "list": "kindList", "read": "kindRead", "write": "kindWrite", "delete": "kindDelete",
	"move": "kindMove", "replace": "kindReplace", "change": "kindChange", "cd": "kindCd", "script": "kindScript", "url": "kindURL",
	"host": "kindHost", "remote": "kindRemote", "remote-write": "kindRemoteWrite", "repo": "kindRepo",
	"mount": "kindMount", "ex": "kindEx", "rsh": "kindRsh", "program": "kindProgram", "dns": "kindDNS", "pkg": "kindPkg", "env": "kindEnv", "cmd": "kindCmd", "shell": "kindShell",
	"code-python": "kindPython", "code-node": "kindNode", "code-perl": "kindPerl", "code-ruby": "kindRuby",
	"code-php": "kindPHP", "code-lua": "kindLua", "code-r": "kindR", "code-applescript": "kindAppleScript",
	"code-powershell": "kindPowerShell",
	"object":          "kindObject", "data": "kindData", "form": "kindForm", "var": "kindVar", "filter": "kindFilter",
	"awk": "kindAwk", "sed": "kindSed", "sql": "kindSQL", "jq": "kindJq", "redis": "kindRedis", "mongo": "kindMongo",
	"code-lisp": "kindLisp", "code-other": "kindOtherCode", "crontab": "kindCrontab", "self": "kindSelf", "typed": "kindTyped",
	"format": "kindFormat", "root": "kindRoot", "inner-cd": "kindInnerCd", "split": "kindSplit", "unset": "kindUnset",
}

var handlers = map[string]string{
	"find": "useFind", "fd": "useFd", "sh": "useSh", "xargs": "useXargs", "parallel": "useParallel", "test": "useTest",
	"scripts": "useScripts", "git": "useGit", "link": "useLink", "copy": "useCopy", "make": "useMake", "builtin": "useBuiltin", "interpreter": "useInterpreter",
	"download": "useDownload", "kill": "useKill", "echo": "useEcho", "printf": "usePrintf", "program": "useProgram",
}

var outputs = map[string]string{
	"args": "printsArgs", "cwd": "printsCwd", "temp": "printsTemp", "name": "printsName", "paths": "printsPaths",
	"stdin": "printsStdin", "decoded": "printsDecoded", "network": "printsNetwork", "names": "printsNames",
	"lines": "printsLines", "hash": "printsHash", "unknown": "printsUnknown", "through": "printsThrough", "base": "printsBase", "settings": "printsSettings", "environment": "printsEnvironment",
}

var placeholders = map[string]bool{
	"args": true, "arg1": true, "arg2": true, "arg3": true, "last": true, "init": true, "rest": true,
	"sub": true, "cmd": true, "inner": true, "words": true, "subs": true, "plain": true,
}

// Kinds that are followed by the name of a block of keys.
var keyedKinds = [...]struct{ prefix, kind string }{
	{"key-", "kindKey"}, {"lines-", "kindLines"}, {"address-", "kindAddress"},
}

// keyed splits the name of a kind that needs a block of keys: its Go name, and
// the block.
func keyed(k string) (kind, block string, ok bool) {
	for _, w := range keyedKinds {
		if block, ok = strings.CutPrefix(k, w.prefix); ok {
			return w.kind, block, true
		}
	}
	return "", "", false
}

// emitStdin writes what an action says about the standard input.
func emitStdin(b *bytes.Buffer, kind string) {
	b.WriteString("stdin: &slot{")
	emitKind(b, kind)
	b.WriteString("},")
}

func validKind(k string) bool {
	if _, _, ok := keyed(k); ok {
		return true
	}
	_, ok := kinds[k]
	return ok
}

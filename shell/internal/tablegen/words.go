package main

import (
	"bytes"
	"strings"
)

// The words of the tables and the Go names they become. A word that package
// table does not know fails to compile there.
var effects = map[string]string{
	"reads": "Reads", "writes": "Writes", "deletes": "Deletes", "executes": "Executes",
	"installs": "Installs", "network": "Network", "permissions": "Permissions",
	"privilege": "Privilege", "processes": "Processes", "system": "System",
	"irreversible": "Irreversible", "publishes": "Publishes", "longrunning": "LongRunning", "secrets": "Secrets",
}

var risks = map[string]string{
	"safe": "LevelSafe", "moderate": "LevelModerate", "dangerous": "LevelDangerous", "blocked": "LevelBlocked",
}

var traits = map[string]string{
	"wrapper": "IsWrapper", "interpreter": "IsInterpreter", "shell": "IsShell", "recursive": "IsRecursive",
	"dashword": "IsDashword", "bundled": "IsBundled", "posix": "IsPosix", "elsewhere": "IsElsewhere",
	"nohelp": "IsNoHelp", "global": "IsGlobal", "fromhere": "IsFromHere", "joined": "IsJoined",
	"oldshell": "IsOldShell", "othershell": "IsOtherShell", "chained": "IsChained",
	"thisshell": "IsThisShell", "globcode": "IsGlobCode", "saves": "IsSaves", "bare": "IsBare", "backups": "IsBackups",
	"wrapping": "IsWrapping", "scripting": "IsScripting",
}

var kinds = map[string]string{
	"text": "KindText", "list": "KindList", "read": "KindRead", "write": "KindWrite", "delete": "KindDelete",
	"move": "KindMove", "replace": "KindReplace", "change": "KindChange", "cd": "KindCd", "script": "KindScript", "url": "KindURL",
	"host": "KindHost", "remote": "KindRemote", "remote-write": "KindRemoteWrite", "repo": "KindRepo",
	"mount": "KindMount", "ex": "KindEx", "rsh": "KindRsh", "program": "KindProgram", "dns": "KindDNS", "image": "KindImage", "pkg": "KindPkg", "env": "KindEnv", "cmd": "KindCmd", "shell": "KindShell",
	"code-python": "KindPython", "code-node": "KindNode", "code-perl": "KindPerl", "code-ruby": "KindRuby",
	"code-php": "KindPHP", "code-lua": "KindLua", "code-r": "KindR", "code-applescript": "KindAppleScript",
	"code-powershell": "KindPowerShell",
	"object":          "KindObject", "data": "KindData", "form": "KindForm", "var": "KindVar", "filter": "KindFilter",
	"awk": "KindAwk", "sed": "KindSed", "sql": "KindSQL", "jq": "KindJq", "redis": "KindRedis", "mongo": "KindMongo",
	"code-lisp": "KindLisp", "code-other": "KindOtherCode", "code-compiled": "KindCompiled", "crontab": "KindCrontab", "self": "KindSelf", "typed": "KindTyped",
	"format": "KindFormat", "root": "KindRoot", "inner-cd": "KindInnerCd", "split": "KindSplit", "unset": "KindUnset",
	"backup": "KindBackup", "before": "KindBefore", "patched": "KindPatched", "packed": "KindPacked", "start": "KindStart", "trace": "KindTrace", "archive": "KindArchive", "output": "KindOutput", "server": "KindServer", "database": "KindDatabase", "ending": "KindEnding",
}

var handlers = map[string]string{
	"find": "UseFind", "fd": "UseFd", "sh": "UseSh", "xargs": "UseXargs", "parallel": "UseParallel", "test": "UseTest",
	"scripts": "UseScripts", "git": "UseGit", "link": "UseLink", "copy": "UseCopy", "make": "UseMake", "builtin": "UseBuiltin", "interpreter": "UseInterpreter",
	"download": "UseDownload", "kill": "UseKill", "echo": "UseEcho", "printf": "UsePrintf", "program": "UseProgram",
}

var outputs = map[string]string{
	"args": "PrintsArgs", "cwd": "PrintsCwd", "temp": "PrintsTemp", "name": "PrintsName", "paths": "PrintsPaths",
	"stdin": "PrintsStdin", "decoded": "PrintsDecoded", "network": "PrintsNetwork", "names": "PrintsNames",
	"lines": "PrintsLines", "hash": "PrintsHash", "unknown": "PrintsUnknown", "through": "PrintsThrough", "base": "PrintsBase", "top": "PrintsTop", "settings": "PrintsSettings", "environment": "PrintsEnvironment",
}

var placeholders = map[string]bool{
	"args": true, "arg1": true, "arg2": true, "arg3": true, "last": true, "init": true, "rest": true,
	"sub": true, "cmd": true, "inner": true, "words": true, "subs": true, "plain": true,
}

// Kinds that are followed by the name of a block of keys.
var keyedKinds = [...]struct{ prefix, kind string }{
	{"key-", "KindKey"}, {"lines-", "KindLines"}, {"address-", "KindAddress"},
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
	b.WriteString("Stdin: &Slot{")
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

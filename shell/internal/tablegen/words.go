package main

import (
	"strings"

	"github.com/sayso-dev/sayso/shell/internal/table"
)

// The words of the tables and what they become.
var effects = map[string]table.Effects{
	"reads": table.Reads, "writes": table.Writes, "deletes": table.Deletes, "executes": table.Executes,
	"installs": table.Installs, "network": table.Network, "permissions": table.Permissions,
	"privilege": table.Privilege, "processes": table.Processes, "system": table.System,
	"irreversible": table.Irreversible, "publishes": table.Publishes, "longrunning": table.LongRunning, "secrets": table.Secrets,
}

var risks = map[string]table.Level{
	"safe": table.LevelSafe, "moderate": table.LevelModerate, "dangerous": table.LevelDangerous, "blocked": table.LevelBlocked,
}

var traits = map[string]table.Trait{
	"wrapper": table.IsWrapper, "interpreter": table.IsInterpreter, "shell": table.IsShell, "recursive": table.IsRecursive,
	"dashword": table.IsDashword, "bundled": table.IsBundled, "posix": table.IsPosix, "elsewhere": table.IsElsewhere,
	"nohelp": table.IsNoHelp, "global": table.IsGlobal, "fromhere": table.IsFromHere, "joined": table.IsJoined,
	"oldshell": table.IsOldShell, "othershell": table.IsOtherShell, "chained": table.IsChained,
	"thisshell": table.IsThisShell, "globcode": table.IsGlobCode, "saves": table.IsSaves, "bare": table.IsBare, "backups": table.IsBackups, "agent": table.IsAgent, "unpacks": table.IsUnpacks, "packs": table.IsPacks, "typed": table.IsTyped, "batch": table.IsBatch,
	"wrapping": table.IsWrapping, "scripting": table.IsScripting,
}

var kinds = map[string]table.Kind{
	"text": table.KindText, "list": table.KindList, "read": table.KindRead, "write": table.KindWrite, "delete": table.KindDelete,
	"move": table.KindMove, "replace": table.KindReplace, "change": table.KindChange, "cd": table.KindCd, "script": table.KindScript, "url": table.KindURL,
	"host": table.KindHost, "remote": table.KindRemote, "remote-write": table.KindRemoteWrite, "repo": table.KindRepo,
	"mount": table.KindMount, "ex": table.KindEx, "rsh": table.KindRsh, "program": table.KindProgram, "dns": table.KindDNS, "shown": table.KindShown, "image": table.KindImage, "pkg": table.KindPkg, "env": table.KindEnv, "cmd": table.KindCmd, "shell": table.KindShell,
	"code-python": table.KindPython, "code-node": table.KindNode, "code-perl": table.KindPerl, "code-ruby": table.KindRuby,
	"code-php": table.KindPHP, "code-lua": table.KindLua, "code-r": table.KindR, "code-applescript": table.KindAppleScript,
	"code-powershell": table.KindPowerShell,
	"object":          table.KindObject, "data": table.KindData, "form": table.KindForm, "var": table.KindVar, "filter": table.KindFilter,
	"awk": table.KindAwk, "sed": table.KindSed, "sql": table.KindSQL, "jq": table.KindJq, "redis": table.KindRedis, "mongo": table.KindMongo,
	"code-lisp": table.KindLisp, "code-other": table.KindOtherCode, "code-compiled": table.KindCompiled, "crontab": table.KindCrontab, "self": table.KindSelf, "typed": table.KindTyped,
	"format": table.KindFormat, "root": table.KindRoot, "inner-cd": table.KindInnerCd, "split": table.KindSplit, "unset": table.KindUnset,
	"backup": table.KindBackup, "before": table.KindBefore, "patched": table.KindPatched, "patch": table.KindPatch, "packed": table.KindPacked, "start": table.KindStart, "trace": table.KindTrace, "archive": table.KindArchive, "output": table.KindOutput, "server": table.KindServer, "database": table.KindDatabase, "ending": table.KindEnding,
}

var handlers = map[string]table.Handler{
	"find": table.UseFind, "fd": table.UseFd, "sh": table.UseSh, "xargs": table.UseXargs, "parallel": table.UseParallel, "test": table.UseTest,
	"scripts": table.UseScripts, "git": table.UseGit, "link": table.UseLink, "copy": table.UseCopy, "make": table.UseMake, "builtin": table.UseBuiltin, "interpreter": table.UseInterpreter,
	"download": table.UseDownload, "kill": table.UseKill, "echo": table.UseEcho, "printf": table.UsePrintf, "program": table.UseProgram,
}

var outputs = map[string]table.Output{
	"args": table.PrintsArgs, "cwd": table.PrintsCwd, "temp": table.PrintsTemp, "name": table.PrintsName, "paths": table.PrintsPaths,
	"stdin": table.PrintsStdin, "decoded": table.PrintsDecoded, "unpacked": table.PrintsUnpacked, "network": table.PrintsNetwork, "names": table.PrintsNames,
	"lines": table.PrintsLines, "hash": table.PrintsHash, "unknown": table.PrintsUnknown, "through": table.PrintsThrough, "base": table.PrintsBase, "top": table.PrintsTop, "settings": table.PrintsSettings, "environment": table.PrintsEnvironment, "private": table.PrintsPrivate,
}

var placeholders = map[string]bool{
	"args": true, "arg1": true, "arg2": true, "arg3": true, "last": true, "init": true, "rest": true,
	"sub": true, "cmd": true, "inner": true, "words": true, "subs": true, "plain": true,
}

// Kinds that are followed by the name of a block of keys.
var keyedKinds = [...]struct {
	prefix string
	kind   table.Kind
}{
	{"key-", table.KindKey}, {"lines-", table.KindLines}, {"address-", table.KindAddress},
}

// keyed splits the name of a kind that needs a block of keys: the kind, and the
// block.
func keyed(k string) (kind table.Kind, block string, ok bool) {
	for _, w := range keyedKinds {
		if block, ok = strings.CutPrefix(k, w.prefix); ok {
			return w.kind, block, true
		}
	}
	return 0, "", false
}

func validKind(k string) bool {
	if _, _, ok := keyed(k); ok {
		return true
	}
	_, ok := kinds[k]
	return ok
}

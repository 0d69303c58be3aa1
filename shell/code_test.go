package shell_test

import (
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

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

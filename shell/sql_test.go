package shell_test

import (
	"slices"
	"testing"

	"github.com/sayso-dev/sayso/shell"
)

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

-- What people manage. Every row carries a sum over what it says, which is
-- checked whenever it is read: a bit that flips must not become a permission.
CREATE TABLE sessions (
	id      TEXT NOT NULL PRIMARY KEY,
	changed INTEGER NOT NULL, -- milliseconds since 1970
	body    TEXT NOT NULL,    -- the state, as JSON
	sum     TEXT NOT NULL
) STRICT;

CREATE TABLE grants (
	n       INTEGER PRIMARY KEY, -- the order in which they were given
	id      TEXT NOT NULL UNIQUE,
	session TEXT NOT NULL,
	root    TEXT NOT NULL,
	scope   TEXT NOT NULL,
	body    TEXT NOT NULL, -- the grant, as JSON
	sum     TEXT NOT NULL
) STRICT;

CREATE INDEX grants_of ON grants (scope, session, root);

CREATE TABLE approvals (
	n        INTEGER PRIMARY KEY, -- the order in which they were asked
	id       TEXT NOT NULL UNIQUE,
	session  TEXT NOT NULL,
	call     TEXT NOT NULL,
	contract TEXT NOT NULL,    -- its hash
	opened   INTEGER NOT NULL, -- milliseconds since 1970
	until    INTEGER NOT NULL, -- likewise; 0: for ever
	request  TEXT NOT NULL,    -- as JSON
	answer   TEXT NOT NULL,    -- as JSON; empty: there is none
	taken    INTEGER NOT NULL, -- 1: whoever asked has it
	sum      TEXT NOT NULL
) STRICT;

CREATE INDEX approvals_of ON approvals (session, call, contract);

CREATE TABLE trust (
	n           INTEGER PRIMARY KEY,
	root        TEXT NOT NULL,
	name        TEXT NOT NULL, -- of an MCP server; empty: the workspace
	fingerprint TEXT NOT NULL,
	sum         TEXT NOT NULL,
	UNIQUE (root, name)
) STRICT;

CREATE TABLE rules (
	n      INTEGER PRIMARY KEY, -- the order in which they were added
	root   TEXT NOT NULL,       -- the workspace; empty: the profile
	effect TEXT NOT NULL,
	text   TEXT NOT NULL,
	body   TEXT NOT NULL, -- the rule, as JSON
	sum    TEXT NOT NULL,
	UNIQUE (root, effect, text)
) STRICT;

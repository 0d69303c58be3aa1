-- Asking must not take longer because many wait: what is old is found without a
-- look at every row, and what waits without those that were answered.
CREATE INDEX approvals_opened ON approvals (opened);

CREATE INDEX approvals_waiting ON approvals (n) WHERE answer = '';

-- Everything that an append must know of a task stands in its one row.
CREATE TABLE tasks (
    row         INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    workflow_id TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    parent      TEXT,
    salt        BLOB    NOT NULL,
    head_seq    INTEGER NOT NULL DEFAULT 0,
    head_hash   BLOB    NOT NULL,
    epoch       INTEGER NOT NULL DEFAULT 0,
    holder      TEXT,
    expires_at  INTEGER,
    inbox_last  INTEGER NOT NULL DEFAULT 0,
    status      TEXT,
    status_at   INTEGER
) STRICT;

CREATE INDEX tasks_by_age ON tasks (created_at, row);
CREATE INDEX tasks_by_parent ON tasks (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
    task  INTEGER NOT NULL REFERENCES tasks (row),
    seq   INTEGER NOT NULL,
    bytes BLOB    NOT NULL,
    PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;

-- With a rowid, so that large bytes are appended and only the small index
-- entries land at random places.
CREATE TABLE contents (
    task  INTEGER NOT NULL REFERENCES tasks (row),
    hash  BLOB    NOT NULL,
    bytes BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX contents_by_hash ON contents (task, hash);

CREATE TABLE inbox (
    task   INTEGER NOT NULL REFERENCES tasks (row),
    id     INTEGER NOT NULL,
    source TEXT    NOT NULL,
    body   BLOB    NOT NULL,
    at     INTEGER NOT NULL,
    key    TEXT,
    PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;

-- Outlives the items, so that a late second post is still known as one.
CREATE TABLE inbox_keys (
    task     INTEGER NOT NULL REFERENCES tasks (row),
    key      TEXT    NOT NULL,
    id       INTEGER NOT NULL,
    identity BLOB    NOT NULL,
    PRIMARY KEY (task, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
    task  INTEGER NOT NULL REFERENCES tasks (row),
    seq   INTEGER NOT NULL,
    hash  BLOB    NOT NULL,
    bytes BLOB    NOT NULL,
    UNIQUE (task, seq)
) STRICT;

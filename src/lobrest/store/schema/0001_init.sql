-- Plain enough for SQLite and PostgreSQL alike: INTEGER is the row id of the one and 32 bits in the other,
-- BYTEA is a blob in both. Times are seconds since the campaign began.

CREATE TABLE exchanges (
    id INTEGER PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    seed TEXT NOT NULL,
    execution INTEGER NOT NULL,
    step INTEGER NOT NULL,
    sent_at DOUBLE PRECISION NOT NULL,
    operation TEXT NOT NULL,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    actor TEXT NOT NULL,
    request_headers TEXT NOT NULL,
    request_body BYTEA,
    request_digest BYTEA,
    status INTEGER,
    failure TEXT,
    seconds DOUBLE PRECISION NOT NULL,
    truncated INTEGER NOT NULL,
    response_headers TEXT,
    response_body BYTEA,
    response_digest BYTEA
);

CREATE TABLE bodies (
    digest BYTEA PRIMARY KEY,
    packed INTEGER NOT NULL,
    content BYTEA NOT NULL
);

CREATE TABLE statuses (
    operation TEXT NOT NULL,
    status INTEGER NOT NULL,
    total INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    PRIMARY KEY (operation, status)
);

CREATE TABLE failures (
    kind TEXT PRIMARY KEY,
    total INTEGER NOT NULL
);

CREATE TABLE ticks (
    second INTEGER PRIMARY KEY,
    requests INTEGER NOT NULL
);

CREATE TABLE covered (
    operation TEXT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL
);

CREATE TABLE seeds (
    id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    why TEXT NOT NULL,
    content BYTEA NOT NULL
);

CREATE TABLE flows (
    seed TEXT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL
);

CREATE TABLE bugs (
    number INTEGER PRIMARY KEY,
    operation TEXT NOT NULL,
    status INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    first_seen_s DOUBLE PRECISION NOT NULL,
    confirmed INTEGER NOT NULL,
    content BYTEA NOT NULL
);

CREATE TABLE outages (
    place INTEGER PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    down INTEGER NOT NULL,
    cause TEXT NOT NULL
);

CREATE TABLE endings (
    place INTEGER PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    reason TEXT NOT NULL
);

CREATE TABLE state (
    name TEXT PRIMARY KEY,
    content BYTEA NOT NULL
);

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    content TEXT NOT NULL
);

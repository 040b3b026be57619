-- What a person who looks around asks for: the plays behind requests, requests of one operation and status,
-- and where the time went. Each question is answered from an index, whatever the number of requests.

CREATE TABLE plays (
    execution INTEGER PRIMARY KEY,
    seed TEXT NOT NULL,
    kind TEXT NOT NULL,
    mutators TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    first INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    good INTEGER NOT NULL
);

CREATE INDEX plays_of_seed ON plays (seed, execution);

CREATE INDEX plays_of_kind ON plays (kind, execution);

CREATE INDEX exchanges_of_operation ON exchanges (operation, status, id);

ALTER TABLE statuses ADD COLUMN seconds DOUBLE PRECISION NOT NULL DEFAULT 0;

CREATE INDEX seeds_in_order ON seeds (place);

CREATE INDEX seeds_by_reason ON seeds (why, place);

-- What a campaign needs to go on: the state of its engine in pieces, and the material it was given.

CREATE TABLE pieces (
    name TEXT PRIMARY KEY,
    packed INTEGER NOT NULL,
    content BYTEA NOT NULL
);

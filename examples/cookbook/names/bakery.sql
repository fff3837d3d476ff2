CREATE TABLE recalls (batch TEXT, person TEXT, approved_by TEXT, note TEXT, key TEXT UNIQUE);

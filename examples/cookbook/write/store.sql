CREATE TABLE issued (part TEXT, pieces INTEGER, person TEXT, approved_by TEXT, key TEXT UNIQUE);

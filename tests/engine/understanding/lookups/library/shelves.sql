CREATE TABLE books (id TEXT PRIMARY KEY, name TEXT, name_zh TEXT, copies INTEGER);
CREATE TABLE loans (number TEXT PRIMARY KEY, book TEXT, reader TEXT, due TEXT, state TEXT);
CREATE TABLE renewals (loan TEXT, until TEXT, approved_by TEXT, key TEXT UNIQUE);
CREATE TABLE rooms (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE uses (room TEXT, day TEXT, hours TEXT);
INSERT INTO books VALUES ('K1','atlases','地图集',14),('K2','dictionaries','词典',30);
INSERT INTO loans VALUES ('L-301','K1','Ida','2026-12-08','open'),('L-302','K2','Wei','2026-12-12','open');
INSERT INTO rooms VALUES ('G1','Tower room'),('G2','Cellar room');
INSERT INTO uses VALUES ('G1','2026-12-04','10-12');

CREATE TABLE staff (person TEXT PRIMARY KEY, name TEXT, team TEXT, entitled INTEGER);
CREATE TABLE leave (
  person TEXT NOT NULL REFERENCES staff,
  first_day TEXT NOT NULL,
  last_day TEXT NOT NULL,
  days INTEGER GENERATED ALWAYS AS (julianday(last_day) - julianday(first_day) + 1),
  approved_by TEXT NOT NULL,
  key TEXT UNIQUE,
  CHECK (first_day <= last_day)
);
CREATE VIEW balances AS
  SELECT person, name, team, entitled,
    (SELECT coalesce(sum(days), 0) FROM leave WHERE leave.person = staff.person) AS taken
  FROM staff;
INSERT INTO staff VALUES
  ('lin', 'Lin Tao', 'warehouse', 20), ('oda', 'Oda Berg', 'warehouse', 12),
  ('wei', 'Wei Min', 'office', 25);
INSERT INTO leave (person, first_day, last_day, approved_by) VALUES
  ('lin', '2026-12-21', '2026-12-24', 'wei'), ('oda', '2026-12-23', '2026-12-31', 'wei');

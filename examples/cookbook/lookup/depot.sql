CREATE TABLE pictures (number TEXT PRIMARY KEY, title TEXT, insured REAL, checked TEXT);
INSERT INTO pictures VALUES ('P-101', 'Harbour at night', 900, '2026-01-12');
INSERT INTO pictures VALUES ('P-102', 'The green room', 48000, '2025-11-03');

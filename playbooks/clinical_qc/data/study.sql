-- The sample study: every subject and value is made up. The database in the data folder is made of it
-- once; later changes here do not reach one that is there.
-- A measurement that was not taken is NULL; adverse_event is empty when there was none.
CREATE TABLE subjects (
    subject_id TEXT PRIMARY KEY,
    sex TEXT NOT NULL,
    birth_year INTEGER NOT NULL,
    enrolled_on TEXT NOT NULL,
    arm TEXT NOT NULL
);
CREATE TABLE visits (
    key TEXT PRIMARY KEY NOT NULL CHECK (key <> ''),
    subject_id TEXT NOT NULL REFERENCES subjects,
    visit_date TEXT NOT NULL,
    ecog INTEGER,
    weight_kg REAL,
    systolic INTEGER,
    diastolic INTEGER,
    adverse_event TEXT NOT NULL,
    approved_by TEXT NOT NULL CHECK (approved_by <> ''),
    recorded_at TEXT NOT NULL,
    UNIQUE (subject_id, visit_date)
);
-- Visit windows: the day after enrolment, and how many days before and after it are allowed.
CREATE TABLE windows (
    name TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    before INTEGER NOT NULL,
    after INTEGER NOT NULL
);
INSERT INTO subjects (subject_id, sex, birth_year, enrolled_on, arm) VALUES
    ('P001', 'F', 1958, '2026-07-06', 'A'),
    ('P002', 'M', 1967, '2026-07-13', 'B'),
    ('P003', 'F', 1971, '2026-08-05', 'A'),
    ('P004', 'M', 1953, '2026-07-27', 'B'),
    ('P005', 'F', 1980, '2026-08-10', 'A'),
    ('P006', 'M', 1962, '2026-08-17', 'B'),
    ('P007', 'F', 1953, '2026-08-24', 'A'),
    ('P008', 'M', 1976, '2026-08-31', 'B'),
    ('P009', 'F', 1984, '2026-09-07', 'A'),
    ('P010', 'M', 1959, '2026-09-21', 'B'),
    ('P011', 'F', 1969, '2026-10-05', 'A'),
    ('P012', 'M', 1964, '2026-10-09', 'B');
INSERT INTO visits (
    key, subject_id, visit_date, ecog, weight_kg, systolic, diastolic, adverse_event, approved_by,
    recorded_at
) VALUES
    ('sample:P001:2026-07-06', 'P001', '2026-07-06', 1, 58.4, 128, 78, '', 'sample', ''),
    ('sample:P001:2026-08-04', 'P001', '2026-08-04', 1, 58.0, 132, 80, '轻度恶心，1 级 / mild nausea, grade 1', 'sample', ''),
    ('sample:P001:2026-09-02', 'P001', '2026-09-02', 1, 57.6, 130, 79, '', 'sample', ''),
    ('sample:P001:2026-09-26', 'P001', '2026-09-26', 1, 57.9, 126, 76, '', 'sample', ''),
    ('sample:P002:2026-07-13', 'P002', '2026-07-13', 0, 74.2, 136, 84, '', 'sample', ''),
    ('sample:P002:2026-08-10', 'P002', '2026-08-10', 0, 74.8, 138, 86, '', 'sample', ''),
    ('sample:P002:2026-09-10', 'P002', '2026-09-10', 1, 73.9, 134, 82, '疲乏，1 级 / fatigue, grade 1', 'sample', ''),
    ('sample:P002:2026-10-05', 'P002', '2026-10-05', 0, 74.1, 132, 82, '', 'sample', ''),
    ('sample:P003:2026-08-05', 'P003', '2026-08-05', 0, 62.5, 118, 74, '', 'sample', ''),
    ('sample:P003:2026-09-02', 'P003', '2026-09-02', 0, 62.1, 121, 76, '', 'sample', ''),
    ('sample:P003:2026-10-01', 'P003', '2026-10-01', 1, 61.4, 124, 77, '食欲下降，1 级 / decreased appetite, grade 1', 'sample', ''),
    ('sample:P003:2026-10-28', 'P003', '2026-10-28', 1, 61.2, 122, 78, '', 'sample', ''),
    ('sample:P004:2026-07-27', 'P004', '2026-07-27', 1, 69.0, 142, 88, '', 'sample', ''),
    ('sample:P004:2026-08-23', 'P004', '2026-08-23', 1, 68.3, 146, 90, '头痛，1 级 / headache, grade 1', 'sample', ''),
    ('sample:P004:2026-09-23', 'P004', '2026-09-23', 2, 67.2, 151, 92, '血压升高，2 级 / raised blood pressure, grade 2', 'sample', ''),
    ('sample:P005:2026-08-10', 'P005', '2026-08-10', 0, 55.3, 112, 70, '', 'sample', ''),
    ('sample:P005:2026-09-09', 'P005', '2026-09-09', 0, 55.6, 114, 72, '', 'sample', ''),
    ('sample:P005:2026-10-05', 'P005', '2026-10-05', 0, 55.9, 110, 69, '', 'sample', ''),
    ('sample:P006:2026-08-18', 'P006', '2026-08-18', 1, 81.7, 139, 85, '', 'sample', ''),
    ('sample:P006:2026-09-14', 'P006', '2026-09-14', 1, 81.0, 137, 84, '腹泻，1 级 / diarrhoea, grade 1', 'sample', ''),
    ('sample:P006:2026-10-09', 'P006', '2026-10-09', 1, 80.6, 135, 83, '', 'sample', ''),
    ('sample:P007:2026-08-24', 'P007', '2026-08-24', 1, 49.8, 133, 77, '', 'sample', ''),
    ('sample:P007:2026-09-22', 'P007', '2026-09-22', 2, 48.9, 129, 75, '贫血，2 级 / anaemia, grade 2', 'sample', ''),
    ('sample:P007:2026-10-19', 'P007', '2026-10-19', 2, NULL, 127, 74, '', 'sample', ''),
    ('sample:P008:2026-08-31', 'P008', '2026-08-31', 0, 77.5, 125, 79, '', 'sample', ''),
    ('sample:P008:2026-09-28', 'P008', '2026-09-28', 0, 77.9, 127, 80, '', 'sample', ''),
    ('sample:P008:2026-10-30', 'P008', '2026-10-30', 0, 78.2, 124, 78, '', 'sample', ''),
    ('sample:P009:2026-09-09', 'P009', '2026-09-09', 0, 60.1, 116, 73, '', 'sample', ''),
    ('sample:P009:2026-10-03', 'P009', '2026-10-03', 0, 60.4, 115, 72, '皮疹，1 级 / rash, grade 1', 'sample', ''),
    ('sample:P009:2026-11-02', 'P009', '2026-11-02', 0, 60.0, 117, 74, '', 'sample', ''),
    ('sample:P010:2026-09-21', 'P010', '2026-09-21', 1, 72.6, 144, 87, '', 'sample', ''),
    ('sample:P010:2026-10-22', 'P010', '2026-10-22', 1, 72.0, 141, 86, '', 'sample', ''),
    ('sample:P011:2026-10-05', 'P011', '2026-10-05', 0, 66.3, 120, 75, '', 'sample', ''),
    ('sample:P011:2026-11-02', 'P011', '2026-11-02', 0, 66.0, 119, 74, '口干，1 级 / dry mouth, grade 1', 'sample', ''),
    ('sample:P012:2026-10-09', 'P012', '2026-10-09', 1, 70.4, 131, 81, '', 'sample', ''),
    ('sample:P012:2026-11-05', 'P012', '2026-11-05', 1, 70.1, 129, 80, '', 'sample', '');
INSERT INTO windows (name, day, before, after) VALUES
    ('V1', 0, 0, 3),
    ('V2', 28, 3, 3),
    ('V3', 56, 5, 5),
    ('V4', 84, 7, 7),
    ('V5', 112, 7, 7),
    ('V6', 140, 14, 14);

"""The tables of the study database."""

VERSION = "1"
"""Raised with every change of a table; a file of another version is refused, never misread."""

SCHEMA = (
    """CREATE TABLE subjects (
        subject_id TEXT PRIMARY KEY,
        sex TEXT NOT NULL,
        birth_year INTEGER NOT NULL,
        enrolled_on TEXT NOT NULL,
        arm TEXT NOT NULL
    )""",
    """CREATE TABLE visits (
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
    )""",
    """CREATE TABLE passages (
        position INTEGER PRIMARY KEY,
        section TEXT NOT NULL,
        title TEXT NOT NULL,
        text TEXT NOT NULL
    )""",
    """CREATE TABLE windows (
        name TEXT PRIMARY KEY,
        day INTEGER NOT NULL,
        before INTEGER NOT NULL,
        after INTEGER NOT NULL
    )""",
)

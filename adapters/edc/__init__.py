"""Systems that hold study data; so far the sample study in SQLite."""

"""Systems that hold study data: the sample study in SQLite, and a project on a REDCap server."""

"""What each page shows, as data for its template."""

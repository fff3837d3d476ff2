"""Tables in files of the project folder: CSV and XLSX."""

"""How bodies of runs that wait are kept small: packed with a dictionary for their kind."""

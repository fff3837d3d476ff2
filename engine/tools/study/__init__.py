"""Tools of the sample study."""

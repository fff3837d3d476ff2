"""Tools of outside servers that speak the Model Context Protocol."""

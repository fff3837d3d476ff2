"""Everything that talks to the outside, one room each; no room knows another."""

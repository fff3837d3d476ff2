"""What is kept of a person: found in the store and on disk, exported, erased."""

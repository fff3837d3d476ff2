"""Records of a project on a REDCap server."""

"""Who is who: accounts, roles, groups, and where each person is reached."""

"""Pictures for platforms that show them; rooms of platforms share this one."""

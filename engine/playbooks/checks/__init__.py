"""What is wrong with a playbook before it runs: one module per kind of definition."""

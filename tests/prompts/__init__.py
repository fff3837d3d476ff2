"""What every kind of call tells a model, as files that a change is seen in."""

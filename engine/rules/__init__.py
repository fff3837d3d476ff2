"""Hard rules: JSON Logic over a record, checked at load time, evaluated without coercion."""

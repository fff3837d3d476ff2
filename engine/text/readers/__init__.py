"""Numbers, money, dates, times, durations and ranges in what people write, in Chinese and English.

Our own words find where a value stands, in time proportional to the text; kept libraries read what
digits and number words mean. What has two readings gives both: nothing is guessed.
"""

"""Reads one untrusted file, in a process of its own with little time and memory.

Started as `python -m adapters.file_reader`; it imports nothing of the service.
"""

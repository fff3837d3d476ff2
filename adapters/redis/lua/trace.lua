-- ARGV: offset, id, JSON, ms to keep it
write_trace(ARGV[2], ARGV[3], ARGV[4])

-- An answer while it is written; nothing counts on it.
-- ARGV: offset, reply, field (text | shown | off), value, ms for which it is kept
local key = T .. 'draft:' .. ARGV[2]
if redis.call('HGET', key, 'off') then return 0 end
redis.call('HSET', key, ARGV[3], ARGV[4])
redis.call('PEXPIRE', key, ARGV[5])
if ARGV[3] == 'text' then touch(ARGV[2], 0) end
return 1

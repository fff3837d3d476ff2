-- An answer while it is written; nothing counts on it.
-- ARGV: offset, reply, ms for which it is kept, then fields (text | shown | beside | off), values
local key = T .. 'draft:' .. ARGV[2]
if redis.call('HGET', key, 'off') then return 0 end
redis.call('HSET', key, unpack(ARGV, 4))
redis.call('PEXPIRE', key, ARGV[3])
if ARGV[4] == 'text' then touch(ARGV[2], 0) end
return 1

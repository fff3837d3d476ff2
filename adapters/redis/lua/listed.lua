-- KEYS: a person's conversations by when something was last said in them (microseconds), their
-- titles, the newest message of each that the person saw; where the same server has them, the
-- conversation's messages, all of which the person saw.
-- ARGV: conversation, title ('' for none so far), how many are kept, for how many seconds,
--       the newest message that the person saw ('' for no news of that)
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
redis.call('ZADD', KEYS[1], now, ARGV[1])
if ARGV[2] ~= '' then redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) end
local seen = KEYS[4] and redis.call('HGET', KEYS[4], '@newest') or ARGV[5]
if seen ~= '' then redis.call('HSET', KEYS[3], ARGV[1], seen) end
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[4] * 1000000)
for _, name in ipairs(redis.call('ZREVRANGE', KEYS[1], ARGV[3], -1)) do table.insert(gone, name) end
for _, name in ipairs(gone) do
  redis.call('ZREM', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
  redis.call('HDEL', KEYS[3], name)
end
for i = 1, 3 do redis.call('EXPIRE', KEYS[i], ARGV[4]) end
return 1

-- KEYS: a project's memos, the keys they were written under. ARGV: key, text, by, how many are kept
-- A key counts for 30 days after its last use, longer than any run waits to repeat a write, also
-- when its memo has given way to newer ones.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if redis.call('ZADD', KEYS[2], now, ARGV[1]) == 0 then return 'repeat' end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 30 * 24 * 3600 * 1000)
redis.call('LPUSH', KEYS[1], cjson.encode({text = ARGV[2], by = ARGV[3], at = now}))
redis.call('LTRIM', KEYS[1], 0, ARGV[4] - 1)
return 'new'

-- KEYS: the pace's key. ARGV: ms between messages, burst, how many are wanted
-- A generic cell rate algorithm: answers 0 when they are taken, else the ms until they could be.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local every, wanted = tonumber(ARGV[1]), tonumber(ARGV[3])
local planned = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0')) + every * wanted
local early = planned - every * tonumber(ARGV[2]) - now
if early <= 0 then redis.call('SET', KEYS[1], planned, 'PX', math.ceil(planned - now) + 1000) end
return math.max(0, math.ceil(early))

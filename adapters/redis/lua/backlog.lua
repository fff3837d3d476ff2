-- ARGV: offset, ages in ms, the shorter ones first
local counts = {}
for i, key in ipairs({'q', 'outq', 'due'}) do counts[i] = redis.call('ZCARD', T .. key) end
counts[4] = redis.call('HLEN', T .. 'aside')
counts[5] = redis.call('SCARD', T .. 'blocked')
-- What is due longest, in ms; what is leased or not due yet stands in the future.
for i, key in ipairs({'q', 'outq'}) do
  local first = redis.call('ZRANGE', T .. key, 0, 0, 'WITHSCORES')
  counts[5 + i] = math.max(0, now - tonumber(first[2] or now))
end
-- Open cards up to each age, then the older ones.
local before = '+inf'
for i = 2, #ARGV do
  local age = now - tonumber(ARGV[i])
  counts[6 + i] = redis.call('ZCOUNT', T .. 'open', '(' .. age, before)
  before = age
end
counts[7 + #ARGV] = redis.call('ZCOUNT', T .. 'open', '-inf', before)
return counts

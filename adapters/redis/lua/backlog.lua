-- ARGV: offset
local counts = {}
for i, key in ipairs({'q', 'outq', 'due'}) do counts[i] = redis.call('ZCARD', T .. key) end
counts[4] = redis.call('HLEN', T .. 'aside')
counts[5] = redis.call('SCARD', T .. 'blocked')
-- What is due longest, in ms; what is leased or not due yet stands in the future.
for i, key in ipairs({'q', 'outq'}) do
  local first = redis.call('ZRANGE', T .. key, 0, 0, 'WITHSCORES')
  counts[5 + i] = math.max(0, now - tonumber(first[2] or now))
end
return counts

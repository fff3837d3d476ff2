-- ARGV: offset
local counts = {}
for i, key in ipairs({'q', 'outq', 'due'}) do counts[i] = redis.call('ZCARD', T .. key) end
counts[4] = redis.call('HLEN', T .. 'aside')
counts[5] = redis.call('SCARD', T .. 'blocked')
return counts

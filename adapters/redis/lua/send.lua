-- ARGV: offset, limit, lease ms, holder
local rows = {}
local dests = redis.call('ZRANGEBYSCORE', T .. 'outq', '-inf', now, 'LIMIT', 0, ARGV[2])
for _, dest in ipairs(dests) do
  rows[#rows + 1] = lease_row(dest, tonumber(ARGV[3]), ARGV[4]) or nil
end
local next_ms = 3600 * 1000
local first = redis.call('ZRANGE', T .. 'outq', 0, 0, 'WITHSCORES')
if first[2] then next_ms = math.max(0, tonumber(first[2]) - now) end
return {rows, next_ms}

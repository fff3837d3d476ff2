-- ARGV: offset, limit, lease ms, holder
local due = redis.call('ZRANGEBYSCORE', T .. 'due', '-inf', now, 'LIMIT', 0, 100)
for _, name in ipairs(due) do
  local mail = redis.call('HGET', T .. 'timers', name)
  if mail then put_mail(string.match(name, '^(.*)|'), mail) end
  redis.call('ZREM', T .. 'due', name)
  redis.call('HDEL', T .. 'timers', name)
end
local claims = {}
local lanes = redis.call('ZRANGEBYSCORE', T .. 'q', '-inf', now, 'LIMIT', 0, ARGV[2])
for _, lane in ipairs(lanes) do
  local mail = redis.call('LINDEX', T .. 'l:' .. lane .. ':in', 0)
  if mail then
    local h = T .. 'l:' .. lane .. ':h'
    local fence = redis.call('INCR', T .. 'fence')
    local attempts = redis.call('HINCRBY', h, 'attempts', 1)
    redis.call('HSET', h, 'fence', fence, 'holder', ARGV[4])
    redis.call('ZADD', T .. 'q', now + tonumber(ARGV[3]), lane)
    local commits = tonumber(redis.call('HGET', h, 'commits') or '0')
    table.insert(claims, {lane, fence, commits, attempts, mail, lane_state(lane)})
  else
    redis.call('ZREM', T .. 'q', lane)
  end
end
local next_ms = 3600 * 1000
for _, key in ipairs({T .. 'q', T .. 'due'}) do
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if first[2] then next_ms = math.min(next_ms, math.max(0, tonumber(first[2]) - now)) end
end
return {claims, next_ms}

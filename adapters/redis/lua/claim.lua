-- ARGV: offset, most lanes of any kind, lease ms, besides these most runs, and most commands, holder
local due = redis.call('ZRANGEBYSCORE', T .. 'due', '-inf', now, 'LIMIT', 0, 100)
for _, name in ipairs(due) do
  local mail = redis.call('HGET', T .. 'timers', name)
  if mail then put_mail(string.match(name, '^(.*)|'), mail) end
  redis.call('ZREM', T .. 'due', name)
  redis.call('HDEL', T .. 'timers', name)
end
local claims = {}
local function claim(lane)
  local mail = redis.call('LINDEX', T .. 'l:' .. lane .. ':in', 0)
  if not mail then return unrank(lane) end
  local h = T .. 'l:' .. lane .. ':h'
  local fence = redis.call('INCR', T .. 'fence')
  local attempts = redis.call('HINCRBY', h, 'attempts', 1)
  redis.call('HSET', h, 'fence', fence, 'holder', ARGV[6])
  rank(lane, now + tonumber(ARGV[3]))
  local commits = tonumber(redis.call('HGET', h, 'commits') or '0')
  table.insert(claims, {lane, fence, commits, attempts, mail, lane_state(lane)})
end
local function due_in(queue, most)
  return redis.call('ZRANGEBYSCORE', queue, '-inf', now, 'LIMIT', 0, most)
end
local queues = {T .. 'due'}
-- Kept places are filled first, so that the others stay for all.
for i, kind in ipairs({'run', 'control'}) do
  local queue, most = T .. 'q:' .. kind, ARGV[3 + i]
  for _, lane in ipairs(due_in(queue, most)) do
    local at = redis.call('ZSCORE', T .. 'q', lane)
    if not at then
      redis.call('ZREM', queue, lane)
    elseif tonumber(at) > now then
      redis.call('ZADD', queue, at, lane)
    else
      claim(lane)
    end
  end
  if most ~= '0' then table.insert(queues, queue) end
end
for _, lane in ipairs(due_in(T .. 'q', ARGV[2])) do claim(lane) end
if ARGV[2] ~= '0' then table.insert(queues, T .. 'q') end
local next_ms = 3600 * 1000
for _, key in ipairs(queues) do
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if first[2] then next_ms = math.min(next_ms, math.max(0, tonumber(first[2]) - now)) end
end
return {claims, next_ms}

-- A holder has ended with lanes and messages in its hands: they are free at once. Only at the charged lanes' mail
-- the attempt counts, and so many more; these come after the others, which could be held up by them
-- once more. Looks at the whole queue, since a holder seldom ends so.
-- ARGV: offset, holder, attempts more, delay ms of charged lanes, charged lanes ...
-- Answers the lanes that were given back, and how many messages were.
local charged = {}
for i = 5, #ARGV do charged[ARGV[i]] = true end
local free = {}
for _, lane in ipairs(redis.call('ZRANGE', T .. 'q', 0, -1)) do
  local h = T .. 'l:' .. lane .. ':h'
  local held = redis.call('HMGET', h, 'fence', 'holder')
  if held[1] ~= '0' and held[2] == ARGV[2] then
    local more, delay = -1, 0
    if charged[lane] then more, delay = ARGV[3], tonumber(ARGV[4]) end
    redis.call('HSET', h, 'fence', 0)
    redis.call('HINCRBY', h, 'attempts', more)
    rank(lane, now + delay)
    table.insert(free, lane)
  end
end
local shows = 0
for _, dest in ipairs(redis.call('ZRANGE', T .. 'outq', 0, -1)) do
  local h = T .. 'd:' .. dest .. ':h'
  local held = redis.call('HMGET', h, 'fence', 'holder')
  if held[1] and held[1] ~= '0' and held[2] == ARGV[2] then
    redis.call('HSET', h, 'fence', 0, 'busy', now, 'holder', '')
    redis.call('ZADD', T .. 'outq', now, dest)
    shows = shows + 1
  end
end
return {free, shows}

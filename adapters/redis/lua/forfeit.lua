-- A holder has ended with lanes in its hands: they are free at once. Only the attempts at the charged
-- lanes' mail count, and so many more for each. Looks at the whole queue, which is rare.
-- ARGV: offset, holder, attempts more, charged lanes ...
-- Answers the lanes that were given back.
local charged = {}
for i = 4, #ARGV do charged[ARGV[i]] = true end
local free = {}
for _, lane in ipairs(redis.call('ZRANGE', T .. 'q', 0, -1)) do
  local h = T .. 'l:' .. lane .. ':h'
  local held = redis.call('HMGET', h, 'fence', 'holder')
  if held[1] ~= '0' and held[2] == ARGV[2] then
    redis.call('HSET', h, 'fence', 0)
    redis.call('HINCRBY', h, 'attempts', charged[lane] and ARGV[3] or -1)
    redis.call('ZADD', T .. 'q', now, lane)
    table.insert(free, lane)
  end
end
return free

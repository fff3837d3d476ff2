-- ARGV: offset, lane, fence, lease ms
local h = T .. 'l:' .. ARGV[2] .. ':h'
local held = redis.call('HMGET', h, 'fence', 'attempts', 'late')
if held[1] ~= ARGV[3] then
  -- A holder that was only late is no attempt that failed; said again, it counts no second time.
  if tonumber(held[2] or '0') > 1 and held[3] ~= ARGV[3] then
    redis.call('HINCRBY', h, 'attempts', -1)
    redis.call('HSET', h, 'late', ARGV[3])
  end
  return 0
end
rank(ARGV[2], now + tonumber(ARGV[4]))
return 1

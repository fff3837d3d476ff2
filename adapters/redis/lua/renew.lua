-- ARGV: offset, lane, fence, lease ms
local h = T .. 'l:' .. ARGV[2] .. ':h'
local held = redis.call('HMGET', h, 'fence', 'attempts')
if held[1] ~= ARGV[3] then
  -- A holder that was only late is no attempt that failed.
  if tonumber(held[2] or '0') > 1 then redis.call('HINCRBY', h, 'attempts', -1) end
  return 0
end
redis.call('ZADD', T .. 'q', 'XX', now + tonumber(ARGV[4]), ARGV[2])
return 1

-- ARGV: offset, lane, fence, delay ms, 1 when the attempt does not count
local h = T .. 'l:' .. ARGV[2] .. ':h'
if redis.call('HGET', h, 'fence') ~= ARGV[3] then return 0 end
redis.call('HSET', h, 'fence', 0)
if ARGV[5] == '1' then redis.call('HINCRBY', h, 'attempts', -1) end
rank(ARGV[2], now + tonumber(ARGV[4]))
return 1

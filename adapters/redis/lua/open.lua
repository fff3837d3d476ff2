-- ARGV: offset, how many. The oldest open cards as {token, opened, body, status, version}; all there are.
local cards = {}
local oldest = redis.call('ZRANGE', T .. 'open', 0, tonumber(ARGV[2]) - 1, 'WITHSCORES')
for i = 1, #oldest, 2 do
  local card = redis.call('HMGET', T .. 'card:' .. oldest[i], 'body', 'status', 'version')
  table.insert(cards, {oldest[i], oldest[i + 1], card[1], card[2], card[3]})
end
return {cards, redis.call('ZCARD', T .. 'open')}

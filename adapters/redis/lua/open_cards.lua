-- ARGV: offset, conversation
local cards = {}
for _, token in ipairs(redis.call('ZREVRANGE', T .. 'c:' .. ARGV[2] .. ':cards', 0, 49)) do
  table.insert(cards, 1, redis.call('HMGET', T .. 'card:' .. token, 'body', 'status', 'version'))
end
return cards

-- ARGV: offset, conversation
local runs = {}
for _, id in ipairs(redis.call('ZREVRANGE', T .. 'c:' .. ARGV[2] .. ':runs', 0, 49)) do
  table.insert(runs, 1, {id, redis.call('HGET', T .. 'run:' .. id, 'body')})
end
return runs

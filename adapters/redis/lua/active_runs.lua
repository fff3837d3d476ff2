-- ARGV: offset, conversation
local runs, found = {}, active_runs(ARGV[2])
for i = math.max(1, #found - 49), #found do
  table.insert(runs, {found[i][1], redis.call('HGET', T .. 'run:' .. found[i][1], 'body')})
end
return runs

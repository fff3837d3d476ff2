-- A run that no list of a person names, as those of an earlier build, is listed; one that has ended by
-- its end.
-- ARGV: offset, run, names, for how long a run that has ended is kept (ms)
local run = redis.call('HMGET', T .. 'run:' .. ARGV[2], 'steps', 'ended', 'own', 'filed')
if not run[1] or (run[3] and (not run[2] or run[4])) then return 0 end
RUN_MS = tonumber(ARGV[4])
local began = redis.call('ZSCORE', T .. 'runs', ARGV[2]) or now
if not run[3] then own_run(ARGV[2], ARGV[3], began) end
if run[2] then file_run(ARGV[2], redis.call('ZSCORE', T .. 'ended', ARGV[2]) or now) end
return 1

-- ARGV: offset, lane, fence, commits, id of this commit, lease ms, pop, front,
--       after (keep | release | park), effects
local lane = ARGV[2]
local h = T .. 'l:' .. lane .. ':h'
local inbox = T .. 'l:' .. lane .. ':in'
local held = redis.call('HMGET', h, 'fence', 'commits', 'last')
if held[3] ~= ARGV[5] then
  if held[1] ~= ARGV[3] or (held[2] or '0') ~= ARGV[4] then return {'FENCED'} end
  local e, run = cjson.decode(ARGV[10]), string.match(lane, '^run:(.*)$')
  if run and #e.runs > 0 and redis.call('HGET', T .. 'run:' .. run, 'ended') then
    return {'STALE', 'run ended'}
  end
  local refused = refusal(e)
  if refused then return refused end
  -- The first write is one that a full memory refuses: then nothing has been written.
  local made = {'commits', tonumber(ARGV[4]) + 1, 'last', ARGV[5], 'moved', now}
  if ARGV[7] == '1' then
    redis.call('HSET', h, 'begun', 0, 'attempts', 1, unpack(made))
    redis.call('LPOP', inbox)
  else
    -- Mail that is not handled yet stays in hand, and its attempts go on counting.
    redis.call('HSET', h, 'begun', 1, unpack(made))
  end
  if ARGV[8] ~= '' then redis.call('LPUSH', inbox, ARGV[8]) end
  apply(e, string.match(lane, '^%a+:(.*)$'))
elseif held[1] ~= ARGV[3] then
  -- A repeat of what was applied, after the lane was given back.
  return {'OK'}
end
local mail = redis.call('LINDEX', inbox, 0)
if mail and ARGV[9] == 'keep' then
  rank(lane, now + tonumber(ARGV[6]))
  return {'OK', mail, lane_state(lane)}
end
-- The lane is given back: no late renewal may lease it again.
redis.call('HSET', h, 'fence', 0, 'attempts', 0)
if mail and ARGV[9] == 'release' then
  rank(lane, now)
else
  unrank(lane)
  local run = string.match(lane, '^run:(.*)$')
  if run and ARGV[9] == 'park' then redis.call('SADD', T .. 'blocked', run) end
  if not mail then redis.call('PEXPIRE', h, IDLE_MS) end
end
return {'OK'}

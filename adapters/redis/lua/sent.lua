-- ARGV: offset, dest, fence, row, revision, outcome (sent | later | drop | retry), value, lease ms,
--       pace: ms per message, burst
local dest, row, outcome = ARGV[2], ARGV[4], ARGV[6]
local key = T .. 'row:' .. row
local dh = T .. 'd:' .. dest .. ':h'
local exists = redis.call('EXISTS', key) == 1
-- A message that was posted is remembered also by a deliverer that lost its lease.
if outcome == 'sent' and exists then redis.call('HSET', key, 'message_id', ARGV[7], 'attempts', 0) end
if redis.call('HGET', dh, 'fence') ~= ARGV[3] then
  -- It may have shown an older state over what another showed meanwhile: show it once more.
  if outcome == 'sent' and exists then mark_row(row, dest, now) end
  return {'FENCED'}
end
if outcome == 'retry' then
  if exists then redis.call('HINCRBY', key, 'attempts', 1) end
  local at = now + tonumber(ARGV[7])
  redis.call('HSET', dh, 'busy', at, 'fence', 0)
  redis.call('ZADD', T .. 'outq', at, dest)
  return {'OK'}
end
if outcome == 'later' then
  local unchanged = redis.call('HGET', key, 'rev') == ARGV[5]
  redis.call('ZADD', T .. 'd:' .. dest, unchanged and now + tonumber(ARGV[7]) or now, row)
  return {'OK', lease_row(dest, tonumber(ARGV[8]))}
end
if outcome == 'drop' and exists then redis.call('HSET', key, 'dropped', ARGV[7]) end
if outcome == 'drop' or redis.call('HGET', key, 'rev') == ARGV[5] or not exists then
  redis.call('ZREM', T .. 'd:' .. dest, row)
end
local rest_ms = outcome == 'sent' and rest(dest, tonumber(ARGV[9]), tonumber(ARGV[10])) or 0
if rest_ms > 0 and redis.call('ZCARD', T .. 'd:' .. dest) > 0 then
  redis.call('HSET', dh, 'busy', now + rest_ms, 'fence', 0)
  redis.call('ZADD', T .. 'outq', now + rest_ms, dest)
  return {'OK'}
end
local following = lease_row(dest, tonumber(ARGV[8]))
if rest_ms > 0 then redis.call('HSET', dh, 'busy', now + rest_ms) end
return {'OK', following}

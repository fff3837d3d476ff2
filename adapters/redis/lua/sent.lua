-- ARGV: offset, dest, fence, row, revision, outcome (sent | later | drop | retry), value, lease ms,
--       pace: ms per message (0 unless sent), burst, 1 when it is not known whether it was shown, holder,
--       what the row shows

-- What a row that was shown shows may stand as it is from now on.
local function fold_shown(row)
  local r = redis.call('HMGET', T .. 'row:' .. row, 'kind', 'ref')
  if r[1] == 'card' or r[1] == 'ping' then fold('card', r[2]) end
  if r[1] == 'reply' then
    local card = redis.call('HGET', T .. 'reply:' .. r[2], 'slot')
    fold('reply', r[2])
    if card then fold('card', card) end
  end
end

local dest, row, outcome = ARGV[2], ARGV[4], ARGV[6]
local key = T .. 'row:' .. row
local dh = T .. 'd:' .. dest .. ':h'
-- Another may have shown it meanwhile, and it stand as it was.
if redis.call('EXISTS', key) == 0 then unfold(ARGV[13]) end
local exists = redis.call('EXISTS', key) == 1
-- A message that was posted is remembered also by a deliverer that lost its lease.
if outcome == 'sent' and exists then
  redis.call('HSET', key, 'message_id', ARGV[7])
  redis.call('HDEL', key, 'attempts', 'tried')
  know(row, dest, ARGV[7])
  -- What was found is kept elsewhere by now; the row only says so to whoever hands it over too.
  if redis.call('HGET', key, 'kind') == 'check' then
    redis.call('HDEL', key, 'body')
    redis.call('PEXPIRE', key, DAY_MS)
  end
end
if redis.call('HGET', dh, 'fence') ~= ARGV[3] then
  if outcome == 'sent' and exists then
    local kind = redis.call('HGET', key, 'kind')
    if kind == 'sync' or kind == 'check' then
      -- Whoever handed it over, it was taken.
      redis.call('ZREM', T .. 'd:' .. dest, row)
    else
      -- It may have shown an older state over what another showed meanwhile: show it once more.
      mark_row(row, dest, now)
    end
  end
  return {'FENCED'}
end
-- What this try found to be so before it stays.
if ARGV[11] == '0' and string.match(redis.call('HGET', key, 'tried') or '', '%d+$') == ARGV[3] then
  redis.call('HDEL', key, 'tried')
end
if outcome == 'retry' then
  if exists then redis.call('HINCRBY', key, 'attempts', 1) end
  hold(dest, 0, now + tonumber(ARGV[7]), '')
  return {'OK', false, tonumber(ARGV[7])}
end
if outcome == 'later' then
  local unchanged = redis.call('HGET', key, 'rev') == ARGV[5]
  redis.call('ZADD', T .. 'd:' .. dest, unchanged and now + tonumber(ARGV[7]) or now, row)
  return {'OK', lease_row(dest, tonumber(ARGV[8]), ARGV[12])}
end
if outcome == 'drop' and exists then redis.call('HSET', key, 'dropped', ARGV[7]) end
if outcome == 'drop' or redis.call('HGET', key, 'rev') == ARGV[5] or not exists then
  redis.call('ZREM', T .. 'd:' .. dest, row)
  fold_shown(row)
else
  -- It changed while it was shown: that is shown when it is due, and not at once.
  redis.call('ZADD', T .. 'd:' .. dest, redis.call('HGET', key, 'next') or now, row)
end
local rest_ms = rest(dest, tonumber(ARGV[9]), tonumber(ARGV[10]))
if rest_ms > 0 then
  hold(dest, 0, now + rest_ms, '')
  return {'OK', false, rest_ms}
end
return {'OK', lease_row(dest, tonumber(ARGV[8]), ARGV[12])}

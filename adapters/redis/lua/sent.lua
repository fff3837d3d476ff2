-- ARGV: offset, dest, fence, row, revision, outcome (sent | later | drop | retry), value, lease ms,
--       pace: ms per message (0 unless sent), burst, 1 when it is not known whether it was shown, holder,
--       what the row shows

-- A row has the messages `ids` from now on. What was tapped in one of them before that was known made
-- a row of its own, which is one too many.
local function know(row, ref, dest, ids)
  for _, other in ipairs(redis.call('SMEMBERS', T .. 'rows:' .. ref)) do
    local r = other ~= row and redis.call('HMGET', T .. 'row:' .. other, 'learned', 'dest', 'message_id')
    if r and r[1] and same(r[2], dest, r[3]) and among(ids, r[3]) then
      redis.call('DEL', T .. 'row:' .. other)
      redis.call('SREM', T .. 'rows:' .. ref, other)
      redis.call('SREM', T .. 'rows:' .. r[1], other)
      redis.call('ZREM', T .. 'd:' .. r[2], other)
    end
  end
end

-- What a row that was shown shows may stand as it is from now on.
local function fold_shown(kind, ref)
  if kind == 'card' or kind == 'ping' then fold('card', ref) end
  if kind == 'reply' then
    local card = redis.call('HGET', T .. 'reply:' .. ref, 'slot')
    fold('reply', ref)
    if card then fold('card', card) end
  end
end

local dest, row, outcome = ARGV[2], ARGV[4], ARGV[6]
local key = T .. 'row:' .. row
local dh = T .. 'd:' .. dest .. ':h'
-- Another may have shown it meanwhile, and it stand as it was.
local function read_row() return redis.call('HMGET', key, 'kind', 'ref', 'rev', 'tried') end
local r = read_row()
if not r[1] then
  unfold(ARGV[13])
  r = read_row()
end
local kind, ref, rev, tried = unpack(r)
local exists = kind and true
-- A message that was posted is remembered also by a deliverer that lost its lease.
if outcome == 'sent' and exists then
  redis.call('HSET', key, 'message_id', ARGV[7])
  redis.call('HDEL', key, 'attempts', 'tried')
  if kind == 'check' then
    -- What was found is kept elsewhere by now; the row only says so to whoever hands it over too.
    redis.call('HDEL', key, 'body')
    redis.call('PEXPIRE', key, DAY_MS)
  else
    know(row, ref, dest, ARGV[7])
  end
end
if redis.call('HGET', dh, 'fence') ~= ARGV[3] then
  if outcome == 'sent' and exists then
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
if ARGV[11] == '0' and string.match(tried or '', '%d+$') == ARGV[3] then
  redis.call('HDEL', key, 'tried')
end
if outcome == 'retry' then
  if exists then redis.call('HINCRBY', key, 'attempts', 1) end
  hold(dest, 0, now + tonumber(ARGV[7]), '')
  return {'OK', false, tonumber(ARGV[7])}
end
if outcome == 'later' then
  redis.call('ZADD', T .. 'd:' .. dest, rev == ARGV[5] and now + tonumber(ARGV[7]) or now, row)
  return {'OK', lease_row(dest, tonumber(ARGV[8]), ARGV[12])}
end
if outcome == 'drop' and exists then redis.call('HSET', key, 'dropped', ARGV[7]) end
if outcome == 'drop' or rev == ARGV[5] or not exists then
  redis.call('ZREM', T .. 'd:' .. dest, row)
  fold_shown(kind, ref)
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

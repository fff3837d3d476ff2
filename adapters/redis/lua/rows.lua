-- Shared by send and sent.

-- What is known of a destination is kept for as long as it says something.
local function keep(dh, at)
  redis.call('PEXPIRE', dh, math.max(redis.call('PTTL', dh), at - now + 10 * 60 * 1000))
end

-- Until `at` the destination is left to this holder, with this fence; 0 is nobody's.
local function hold(dest, fence, at, holder)
  local dh = T .. 'd:' .. dest .. ':h'
  redis.call('HSET', dh, 'fence', fence, 'busy', at, 'holder', holder)
  keep(dh, at)
  redis.call('ZADD', T .. 'outq', at, dest)
end

-- After a send: how long the destination has to rest, in ms (if above 0), so that over time it gets
-- one message per `every` and never more than `burst` at once (a generic cell rate algorithm).
local function rest(dest, every, burst)
  if every == 0 then return 0 end
  local dh = T .. 'd:' .. dest .. ':h'
  local planned = math.max(now, tonumber(redis.call('HGET', dh, 'planned') or '0')) + every
  redis.call('HSET', dh, 'planned', planned)
  keep(dh, planned)
  return planned - burst * every - now
end

local function card_of(token)
  if not token then return {} end
  return redis.call('HMGET', T .. 'card:' .. token, 'body', 'status', 'version')
end

-- The message in which the card's run answers, once it was posted.
local function answer_of(token)
  local reply = reply_of(token)
  return reply and message_of(reply) or ''
end

-- Leases the destination's next due row, or lets the destination go; answers the row, or false and
-- in how many ms it has one (-1: never).
local function lease_row(dest, lease_ms, holder)
  local row = redis.call('ZRANGEBYSCORE', T .. 'd:' .. dest, '-inf', now, 'LIMIT', 0, 1)[1]
  if not row then
    redis.call('HDEL', T .. 'd:' .. dest .. ':h', 'busy', 'holder')
    local first = redis.call('ZRANGE', T .. 'd:' .. dest, 0, 0, 'WITHSCORES')
    if first[2] then
      redis.call('ZADD', T .. 'outq', first[2], dest)
      return false, tonumber(first[2]) - now
    end
    redis.call('ZREM', T .. 'outq', dest)
    return false, -1
  end
  local fence = redis.call('INCR', T .. 'fence')
  hold(dest, fence, now + lease_ms, holder)
  redis.call('HDEL', T .. 'row:' .. row, 'next')
  local r = redis.call('HMGET', T .. 'row:' .. row, 'rev', 'kind', 'ref', 'message_id', 'attempts', 'body',
    'tried')
  local tried = string.match(r[7] or '', '^%d+') or ''
  -- Until it is known what becomes of it: whoever leases it next may have to look.
  if tried == '' and r[2] then
    redis.call('HSET', T .. 'row:' .. row, 'tried', string.format('%d:%d', now, fence))
  end
  local shown, card, answer = {}, {}, ''
  if r[2] == 'reply' then
    shown = redis.call('HGETALL', T .. 'reply:' .. r[3])
    card = card_of(redis.call('HGET', T .. 'reply:' .. r[3], 'slot'))
  elseif r[2] == 'card' or r[2] == 'ping' then
    card, answer = card_of(r[3]), answer_of(r[3])
  elseif r[2] == 'cards' then
    -- The message under which they go, once it was posted or given up.
    answer = redis.call('HGET', T .. 'row:' .. r[3], 'dropped') or message_of(r[3])
  end
  return {dest, fence, row, r[1] or '0', r[2] or '', r[3] or '', r[4] or '', r[5] or '0', r[6] or '', shown, card, answer, tried}
end

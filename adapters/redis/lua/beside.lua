-- Shared by what writes or shows messages, behind common.lua: what stands beside a packed body while
-- that waits, and not under keys of its own: the rows that show a card or reply, the cards of a run,
-- and that it goes on.

-- Builds that do not know this way of packing, which know no such rows, leave what has it alone.
local function is_packed(body)
  return body and string.find(body, '^[\3\4]')
end

-- A message that shows a packed card or reply as it is takes a third beside that body of what it
-- takes as a row: `{place, revision, message, name}` of each, and the name alone of a reply's row
-- that shows a card. `true` is a message named as its row, or the row of the reply of the card's run,
-- and no name one that is named as below.
local function own_row(kind, ref, dest)
  return kind == 'reply' and ref or ref .. '@' .. dest
end

-- The reply of a card's run, if it has any.
local function reply_of(token)
  local run = redis.call('HGET', T .. 'card:' .. token, 'run')
  return run and redis.call('HGET', T .. 'run:' .. run, 'reply')
end

-- Puts what is kept so into rows again, for it is to be shown anew or looked at.
local function unfold(ref)
  for _, kind in ipairs({'card', 'reply'}) do
    local kept = redis.call('HGET', T .. kind .. ':' .. ref, 'rows')
    for _, r in ipairs(kept and cjson.decode(kept) or {}) do
      local row = r == true and reply_of(ref) or r
      if type(r) == 'table' then
        row = r[4] or own_row(kind, ref, r[1])
        redis.call('HSET', T .. 'row:' .. row, 'dest', r[1], 'kind', kind, 'ref', ref, 'rev', r[2],
          'message_id', r[3] == true and row or r[3])
      end
      if row ~= true then redis.call('SADD', T .. 'rows:' .. ref, row) end
    end
    if kept then redis.call('HDEL', T .. kind .. ':' .. ref, 'rows') end
  end
end

-- Keeps what shows `ref` beside it, where that may wait for long; of what is still to be shown, or
-- has more to it, the name alone.
local function fold(kind, ref)
  local key, set = T .. kind .. ':' .. ref, T .. 'rows:' .. ref
  local shown = redis.call('HMGET', key, kind == 'card' and 'body' or 'part:0', 'status', 'count', 'live')
  local waits = shown[2] == 'open' or (shown[3] == '1' and shown[4] == '1')
  if not waits or not is_packed(shown[1]) then return end
  unfold(ref)
  local kept, gone, reply = {}, {set}, kind == 'card' and reply_of(ref)
  for _, row in ipairs(redis.call('SMEMBERS', set)) do
    local name = T .. 'row:' .. row
    local r = redis.call('HMGET', name, 'dest', 'rev', 'message_id', 'kind', 'ref')
    local is_plain = r[3] and r[4] == kind and r[5] == ref and redis.call('HLEN', name) == 5
    if is_plain and not redis.call('ZSCORE', T .. 'd:' .. r[1], row) then
      local other = row ~= own_row(kind, ref, r[1]) and row or nil
      table.insert(kept, {r[1], tonumber(r[2]), r[3] == row or r[3], other})
      table.insert(gone, name)
    else
      table.insert(kept, row == reply or row)
    end
  end
  if #kept == 0 then return end
  redis.call('HSET', key, 'rows', cjson.encode(kept))
  redis.call('DEL', unpack(gone))
end

-- The rows that show `ref`, each under a key of its own.
local function rows_of(ref)
  unfold(ref)
  local rows = redis.call('SMEMBERS', T .. 'rows:' .. ref)
  for _, row in ipairs(rows) do
    if redis.call('EXISTS', T .. 'row:' .. row) == 0 then unfold(row) end
  end
  return rows
end

-- The message in which a reply was posted, '' for none yet.
local function message_of(reply)
  local known = redis.call('HGET', T .. 'row:' .. reply, 'message_id')
  local kept = not known and redis.call('HGET', T .. 'reply:' .. reply, 'rows')
  local row = kept and cjson.decode(kept)[1]
  return known or row and (row[3] == true and reply or row[3]) or ''
end


-- Whether a row whose messages are `ids` shows the message of that id; behind a `;` stands no id.
local function among(ids, id)
  return string.find(',' .. string.match(ids or '', '^[^;]*') .. ',', ',' .. id .. ',', 1, true)
end

-- Whether an id means the same here and there: one that names its channel does so everywhere.
local function same(here, there, id)
  return here == there or string.find(id, ':', 1, true)
end

-- The cards of a run, open and closed.
local function cards_of(run)
  local key = T .. 'run:' .. run
  local tokens = redis.call('SMEMBERS', key .. ':cards')
  for token in string.gmatch(redis.call('HGET', key, 'cards') or '', '%S+') do
    table.insert(tokens, token)
  end
  return tokens
end

local function add_card(run, token)
  local key = T .. 'run:' .. run
  if not string.find(redis.call('HGET', key, 'cards') or '', token, 1, true) then
    redis.call('SADD', key .. ':cards', token)
  end
end

-- Who waits here, packed, may be left alone by an older build; who goes on may not.
local function is_waiting(r)
  return r.status == 'suspended' and r.ended == '' and string.find(r.body, '^{"z":"[34]r')
end

-- The cards of a run that waits stand beside its packed body; those of one that goes on under a key
-- of their own, for an older build may go on with it.
local function place_cards(r)
  local key = T .. 'run:' .. r.id
  local tokens = cards_of(r.id)
  if #tokens > 0 and is_waiting(r) then
    redis.call('HSET', key, 'cards', table.concat(tokens, ' '))
    redis.call('DEL', key .. ':cards')
  elseif redis.call('HDEL', key, 'cards') == 1 then
    redis.call('SADD', key .. ':cards', unpack(tokens))
  end
end

-- A run that goes on is listed in its conversation by its start. One that waits for a card which is
-- listed there is found by that instead.
local function list_run(run, conversation, started)
  if started and not redis.call('HGET', T .. 'run:' .. run, 'ended') then
    redis.call('ZADD', T .. 'c:' .. conversation .. ':runs', 'NX', started, run)
  end
end

local function place_run(r, started)
  local c = T .. 'c:' .. r.conversation
  for _, token in ipairs(started and is_waiting(r) and cards_of(r.id) or {}) do
    if redis.call('ZSCORE', c .. ':cards', token) then return redis.call('ZREM', c .. ':runs', r.id) end
  end
  list_run(r.id, r.conversation, started)
end

local function mark_dest(dest, due)
  local busy = tonumber(redis.call('HGET', T .. 'd:' .. dest .. ':h', 'busy') or '0')
  -- Leased, rate-limited or paced, it is looked at when that ends.
  redis.call('ZADD', T .. 'outq', 'LT', math.max(busy, due), dest)
end

local function mark_row(row, dest, due)
  local key = T .. 'row:' .. row
  redis.call('HINCRBY', key, 'rev', 1)
  -- What came while it is being shown is due by itself: see sent.lua.
  local next = tonumber(redis.call('HGET', key, 'next') or due)
  redis.call('HSET', key, 'next', math.min(next, due))
  redis.call('ZADD', T .. 'd:' .. dest, 'LT', due, row)
  mark_dest(dest, due)
end

local function touch(ref, due_ms)
  for _, row in ipairs(rows_of(ref)) do
    local dest = redis.call('HGET', T .. 'row:' .. row, 'dest')
    if dest then mark_row(row, dest, now + due_ms) end
  end
end

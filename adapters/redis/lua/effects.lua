-- Shared by what changes runs, cards and replies, behind beside.lua.

local function live(reply)
  return tonumber(redis.call('HGET', T .. 'reply:' .. reply, 'live') or '0') > 0
end

local function post(p)
  local key = T .. 'row:' .. p.row
  -- What no platform shows never has another state: posted once, it is neither posted nor touched
  -- again.
  local once = p.kind == 'sync' or p.kind == 'check' or p.kind == 'cards' or p.kind == 'letter'
  if once and redis.call('EXISTS', key) == 1 then return end
  if not once then unfold(p.ref) end
  redis.call('HSET', key, 'dest', p.dest, 'kind', p.kind, 'ref', p.ref)
  redis.call(p.body == '' and 'HDEL' or 'HSET', key, 'body', p.body)
  if not once then redis.call('SADD', T .. 'rows:' .. p.ref, p.row) end
  if once or p.kind == 'note' or (p.kind == 'reply' and not live(p.ref)) then
    redis.call('PEXPIRE', key, KEEP_MS)
    redis.call('PEXPIRE', T .. 'rows:' .. p.ref, KEEP_MS)
  end
  mark_row(p.row, p.dest, now + p.due_ms)
end

-- A message in which a card was tapped. One that no row knows is the twin of a message whose id was
-- lost: it is shown anew from now on, with the reply that the card stands in there.
local function see(s)
  local kind, ref = 'card', s.card
  for _, row in ipairs(rows_of(s.card)) do
    local r = redis.call('HMGET', T .. 'row:' .. row, 'dest', 'kind', 'ref', 'message_id')
    if same(r[1], s.dest, s.message_id) and among(r[4], s.message_id) then
      return fold('card', s.card)
    end
    if r[1] == s.dest and r[2] == 'reply' then kind, ref = 'reply', r[3] end
  end
  local row = s.card .. '@' .. s.dest .. '#' .. s.message_id
  post({row = row, dest = s.dest, kind = kind, ref = ref, body = '', due_ms = s.due_ms})
  redis.call('HSET', T .. 'row:' .. row, 'message_id', s.message_id, 'learned', s.card)
  redis.call('SADD', T .. 'rows:' .. s.card, row)
  if redis.call('HGET', T .. 'card:' .. s.card, 'status') ~= 'open' then
    redis.call('PEXPIRE', T .. 'row:' .. row, KEEP_MS)
    redis.call('PEXPIRE', T .. 'rows:' .. s.card, KEEP_MS)
  end
end

-- What shows `ref` need not be kept for ever; a reply that a live run may change is.
local function retire(ref)
  for _, row in ipairs(rows_of(ref)) do
    local shown = redis.call('HMGET', T .. 'row:' .. row, 'kind', 'ref')
    if shown[1] ~= 'reply' or not live(shown[2]) then
      redis.call('PEXPIRE', T .. 'row:' .. row, KEEP_MS)
    end
  end
  redis.call('PEXPIRE', T .. 'rows:' .. ref, KEEP_MS)
end

-- A card is among those that wait for each of the names in `who`, oldest first, while it is open.
local function unlist(token)
  local who = redis.call('HGET', T .. 'card:' .. token, 'who') or ''
  for name in string.gmatch(who, '%S+') do redis.call('ZREM', T .. 'inbox:' .. name, token) end
end

local function list_card(token, who, conversation)
  unlist(token)
  local opened = redis.call('ZSCORE', T .. 'c:' .. conversation .. ':cards', token)
  for name in string.gmatch(who, '%S+') do
    redis.call('ZADD', T .. 'inbox:' .. name, opened, token)
  end
  redis.call('HSET', T .. 'card:' .. token, 'who', who)
end

-- A run is listed under each of the names of whoever asked for it, by its start; once it has ended,
-- by its end.
local function own_run(run, names, at)
  redis.call('HSET', T .. 'run:' .. run, 'own', names)
  for name in string.gmatch(names, '%S+') do redis.call('ZADD', T .. 'mine:' .. name, at, run) end
end

local function file_run(run, at)
  local key = T .. 'run:' .. run
  for name in string.gmatch(redis.call('HGET', key, 'own') or '', '%S+') do
    local ended = T .. 'mine:' .. name .. ':ended'
    redis.call('ZREM', T .. 'mine:' .. name, run)
    redis.call('ZADD', ended, at, run)
    redis.call('ZREMRANGEBYSCORE', ended, 0, now - RUN_MS)
    redis.call('PEXPIRE', ended, RUN_MS)
  end
  redis.call('HSET', key, 'filed', 1)
end

-- Who voted on a card of a run is concerned with it, for as long as an ended run would be kept.
local function note_voters(run, names)
  for name in string.gmatch(names, '%S+') do
    local voted = T .. 'voted:' .. name
    redis.call('ZADD', voted, now, run)
    redis.call('ZREMRANGEBYRANK', voted, 0, -1 - VOTED)
    redis.call('PEXPIRE', voted, RUN_MS)
  end
end

local function write_card(c)
  local key = T .. 'card:' .. c.token
  redis.call('HSET', key, 'body', c.body, 'version', c.version, 'status', c.status, 'run', c.run)
  -- Builds that look for a deadline in every card cannot read a packed one.
  redis.call('HSET', key, 'deadline', c.deadline)
  if c.deadline == 0 and is_packed(c.body) then redis.call('HDEL', key, 'deadline') end
  if c.run ~= '' then
    add_card(c.run, c.token)
    note_voters(c.run, c.voters)
  elseif c.status ~= 'open' then
    -- A card of a talk turn: no run's end will retire it.
    redis.call('PEXPIRE', key, KEEP_MS)
    retire(c.token)
  end
  if c.status == 'open' then
    redis.call('ZADD', T .. 'c:' .. c.conversation .. ':cards', 'NX', now, c.token)
    redis.call('ZADD', T .. 'open', 'NX', now, c.token)
    list_card(c.token, c.who, c.conversation)
  else
    redis.call('ZREM', T .. 'c:' .. c.conversation .. ':cards', c.token)
    redis.call('ZREM', T .. 'open', c.token)
    unlist(c.token)
    if c.run ~= '' then list_run(c.run, c.conversation, redis.call('ZSCORE', T .. 'runs', c.run)) end
  end
  touch(c.token, 0)
end

-- A run ends: its cards close, its lane empties, its keys get a time to live.
local function end_run(run, status)
  local key = T .. 'run:' .. run
  redis.call('HSET', key, 'ended', status)
  redis.call('SREM', T .. 'blocked', run)
  local conversation, reply = unpack(redis.call('HMGET', key, 'conversation', 'reply'))
  redis.call('ZREM', T .. 'c:' .. conversation .. ':runs', run)
  local reply_key = T .. 'reply:' .. reply
  if redis.call('EXISTS', reply_key) == 1 and redis.call('HINCRBY', reply_key, 'live', -1) <= 0 then
    redis.call('PEXPIRE', reply_key, KEEP_MS)
    retire(reply)
  end
  for _, token in ipairs(cards_of(run)) do
    local card = T .. 'card:' .. token
    if redis.call('HGET', card, 'status') == 'open' then
      redis.call('HSET', card, 'status', 'cancelled')
      redis.call('HINCRBY', card, 'version', 1)
      redis.call('ZREM', T .. 'c:' .. conversation .. ':cards', token)
      unlist(token)
      redis.call('ZREM', T .. 'open', token)
      touch(token, 0)
    end
    redis.call('PEXPIRE', card, RUN_MS)
    retire(token)
  end
  file_run(run, now)
  redis.call('PEXPIRE', key, RUN_MS)
  redis.call('PEXPIRE', key .. ':cards', RUN_MS)
  redis.call('PEXPIRE', T .. 'log:' .. run, RUN_MS)
  -- What ended long ago is listed no more.
  redis.call('ZADD', T .. 'ended', now, run)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', T .. 'ended', 0, now - RUN_MS, 'LIMIT', 0, 10)) do
    redis.call('ZREM', T .. 'ended', old)
    redis.call('ZREM', T .. 'runs', old)
  end
end

local function cancel(run)
  local lane = 'run:' .. run
  end_run(run, 'cancelled')
  redis.call('DEL', T .. 'l:' .. lane .. ':in')
  redis.call('HSET', T .. 'l:' .. lane .. ':h', 'fence', redis.call('INCR', T .. 'fence'))
  redis.call('PEXPIRE', T .. 'l:' .. lane .. ':h', IDLE_MS)
  unrank(lane)
end

local function write_run(r)
  local key = T .. 'run:' .. r.id
  -- Lists of runs ask for the last four, as of that many steps: what wrote no such fields leaves them
  -- older.
  redis.call('HSET', key, 'body', r.body, 'conversation', r.conversation, 'reply', r.reply, 'steps', r.steps,
    'status', r.status, 'playbook', r.playbook, 'who', r.who, 'listed', r.steps)
  if r.parent ~= '' then redis.call('HSET', key, 'parent', r.parent) end
  place_cards(r)
  local started = redis.call('ZSCORE', T .. 'runs', r.id)
  if r.owners and not redis.call('HGET', key, 'own') then own_run(r.id, r.owners, started or now) end
  if r.ended == '' then
    -- One of a build that had no list of all runs is listed in its conversation.
    local new = not started and redis.call('ZADD', T .. 'c:' .. r.conversation .. ':runs', 'NX', now, r.id) == 1
    if new then
      started = now
      redis.call('ZADD', T .. 'runs', now, r.id)
    end
    place_run(r, started)
    local reply_key = T .. 'reply:' .. r.reply
    if new and redis.call('EXISTS', reply_key) == 1 then
      -- A reply that a run may still change does not expire, however long the run waits.
      redis.call('HINCRBY', reply_key, 'live', 1)
      for _, key in ipairs({reply_key, T .. 'row:' .. r.reply, T .. 'rows:' .. r.reply}) do
        redis.call('PERSIST', key)
      end
    end
  else
    end_run(r.id, r.ended)
  end
end

local function write_reply(r)
  local key = T .. 'reply:' .. r.id
  if redis.call('EXISTS', key) == 1 then return end
  redis.call('HSET', key, 'head', r.head, 'count', #r.parts)
  redis.call('PEXPIRE', key, KEEP_MS)
  for i, body in ipairs(r.parts) do redis.call('HSET', key, 'part:' .. (i - 1), body) end
end

local function write_timer(t)
  local name = t.lane .. '|' .. t.id
  if t.at == 0 then
    redis.call('ZREM', T .. 'due', name)
    redis.call('HDEL', T .. 'timers', name)
  else
    redis.call('ZADD', T .. 'due', t.at, name)
    redis.call('HSET', T .. 'timers', name, t.mail)
  end
end

local function write_trace(id, body, keep_ms)
  redis.call('SET', T .. 'trace:' .. id, body, 'PX', keep_ms)
  redis.call('ZADD', T .. 'traces', now, id)
  redis.call('ZREMRANGEBYSCORE', T .. 'traces', 0, now - keep_ms)
end

-- What must hold before anything is written; returns the refusal, or nothing.
local function refusal(e)
  for _, c in ipairs(e.cards) do
    local key = T .. 'card:' .. c.token
    local card = redis.call('HMGET', key, 'version', 'status', 'deadline', 'run')
    card[3] = card[3] or '0'
    if c.expect == 0 then
      if card[1] then return {'STALE', 'card exists'} end
    else
      if tonumber(card[1]) ~= c.expect then return {'STALE', 'card version'} end
      if card[2] ~= 'open' then return {'STALE', 'card closed'} end
      if c.status == 'decided' and tonumber(card[3]) > 0 and now >= tonumber(card[3]) then
        return {'STALE', 'card late'}
      end
      if redis.call('HGET', T .. 'run:' .. card[4], 'ended') then return {'STALE', 'run ended'} end
    end
  end
  for _, c in ipairs(e.cancels) do
    local found = redis.call('HMGET', T .. 'run:' .. c[1], 'steps', 'ended')
    if c[2] >= 0 and found[2] then return {'STALE', 'run ended'} end
    if c[2] >= 0 and tonumber(found[1]) ~= c[2] then
      return {'STALE', 'run went on, or is gone'}
    end
  end
  return nil
end

local function apply(e, conversation)
  RUN_MS = e.run_ms or KEEP_MS
  if e.session then
    local keep_ms = e.session_keep_ms > 0 and e.session_keep_ms or KEEP_MS
    redis.call('SET', T .. 'c:' .. conversation .. ':st', e.session, 'PX', keep_ms)
    if e.session_keep_ms > 0 then
      -- It is a case's, which is found in a list while it is kept.
      redis.call('ZADD', T .. 'cases', now, conversation)
      -- Cases of other projects may be kept for longer.
      local old = redis.call('ZRANGEBYSCORE', T .. 'cases', 0, now - keep_ms, 'LIMIT', 0, 1000)
      for _, case in ipairs(old) do
        if redis.call('EXISTS', T .. 'c:' .. case .. ':st') == 0 then
          redis.call('ZREM', T .. 'cases', case)
        end
      end
    end
  end
  if e.reply then write_reply(e.reply) end
  for _, p in ipairs(e.parts) do
    local key = T .. 'reply:' .. p.reply
    if redis.call('EXISTS', key) == 1 then redis.call('HSET', key, 'part:' .. p.index, p.body) end
  end
  for _, c in ipairs(e.cards) do write_card(c) end
  for _, r in ipairs(e.runs) do write_run(r) end
  for _, c in ipairs(e.cancels) do
    local found = redis.call('HMGET', T .. 'run:' .. c[1], 'steps', 'ended')
    if found[1] and not found[2] then cancel(c[1]) end
  end
  for _, m in ipairs(e.mails) do put_mail(m[1], m[2]) end
  for _, a in ipairs(e.aside) do
    a.at = now
    redis.call('HSET', T .. 'aside', redis.call('INCR', T .. 'fence'), cjson.encode(a))
  end
  for _, t in ipairs(e.timers) do write_timer(t) end
  for _, s in ipairs(e.slots) do
    if redis.call('EXISTS', T .. 'reply:' .. s[1]) == 1 then
      redis.call('HSET', T .. 'reply:' .. s[1], 'slot', s[2])
      redis.call('SADD', T .. 'rows:' .. s[2], s[1])
    end
  end
  for _, p in ipairs(e.posts) do post(p) end
  for _, s in ipairs(e.seen) do see(s) end
  for _, t in ipairs(e.touches) do touch(t.ref, t.due_ms) end
  for _, l in ipairs(e.log) do
    redis.call('RPUSH', T .. 'log:' .. l[1], l[2])
    local run = redis.call('HMGET', T .. 'run:' .. l[1], 'body', 'ended')
    if not run[1] or run[2] then
      redis.call('PEXPIRE', T .. 'log:' .. l[1], RUN_MS)
    end
  end
  for _, t in ipairs(e.traces) do write_trace(t.id, t.body, t.keep_ms) end
end

-- Shared by all scripts. KEYS[1] is the partition's queue; every other key carries its tag. ARGV[1] is
-- an offset to the server's clock in ms, which only tests set.
local T = string.sub(KEYS[1], 1, -2)
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000) + tonumber(ARGV[1])
local KEEP_MS = 30 * 24 * 3600 * 1000
local IDLE_MS = 3600 * 1000
local DAY_MS = 24 * 3600 * 1000
-- For how long a run that has ended is kept, with its cards and its log; `apply` is told.
local RUN_MS = KEEP_MS
-- Of the runs on which a person voted, so many of a partition are listed.
local VOTED = 1000

-- The newest runs of a conversation that go on or wait, by their start.
local function active_runs(conversation)
  local c, found, seen = T .. 'c:' .. conversation, {}, {}
  local function add(run, at)
    if not seen[run] then table.insert(found, {run, tonumber(at)}) end
    seen[run] = true
  end
  local listed = redis.call('ZREVRANGE', c .. ':runs', 0, 49, 'WITHSCORES')
  for i = 1, #listed, 2 do add(listed[i], listed[i + 1]) end
  for _, token in ipairs(redis.call('ZREVRANGE', c .. ':cards', 0, 49)) do
    local run = redis.call('HGET', T .. 'card:' .. token, 'run') or ''
    local started = redis.call('ZSCORE', T .. 'runs', run)
    if started and not redis.call('HGET', T .. 'run:' .. run, 'ended') then add(run, started) end
  end
  table.sort(found, function(a, b) return a[2] < b[2] or a[2] == b[2] and a[1] < b[1] end)
  return found
end

-- What a lane's holder needs besides the mail: state, how a run ended, open cards, active runs, and
-- the time by the clock that all deadlines are judged by.
local function lane_state(lane)
  local kind, rest = string.match(lane, '^(%a+):(.*)$')
  if kind == 'run' then
    local run = redis.call('HMGET', T .. 'run:' .. rest, 'body', 'ended', 'conversation')
    local cards = run[3] and redis.call('ZCARD', T .. 'c:' .. run[3] .. ':cards') or 0
    return run[1] or '', run[2] or '', cards, 0, now
  end
  local c = T .. 'c:' .. rest
  local cards = redis.call('ZCARD', c .. ':cards')
  local runs = redis.call('ZCARD', c .. ':runs')
  if runs == 0 and cards > 0 then runs = #active_runs(rest) end
  return redis.call('GET', c .. ':st') or '', '', cards, runs, now
end

-- A lane may be claimed from `at` on. Runs and commands stand in a queue of their kind as well, where
-- the places that are kept for them are filled from; among all is what counts, and all that older
-- builds know.
local function rank(lane, at)
  redis.call('ZADD', T .. 'q', at, lane)
  local kind = string.match(lane, '^%a+')
  if kind ~= 'talk' then redis.call('ZADD', T .. 'q:' .. kind, at, lane) end
end

local function unrank(lane)
  redis.call('ZREM', T .. 'q', lane)
  redis.call('ZREM', T .. 'q:' .. string.match(lane, '^%a+'), lane)
end

local function mark_lane(lane)
  if not redis.call('ZSCORE', T .. 'q', lane) then rank(lane, now) end
end

local function put_mail(lane, mail)
  if redis.call('RPUSH', T .. 'l:' .. lane .. ':in', mail) == 1 then
    -- From now on the lane has something to do: how long it does not move is its mail's age.
    redis.call('HSET', T .. 'l:' .. lane .. ':h', 'moved', now)
    redis.call('PERSIST', T .. 'l:' .. lane .. ':h')
  end
  mark_lane(lane)
end

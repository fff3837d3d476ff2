-- ARGV: offset, score and id below which to look, how many are wanted, how many may be looked at,
--       filter (JSON). Answers {run, score} of each that fits, newest first, and its body where
--       the filter asks for `bodies`; where it stopped, if before the end; how many it looked at.
local filter, looked, skip = cjson.decode(ARGV[6]), 0, 0
local found = {}

-- What a version of us left that knew nothing of lists is read from the run itself.
local function read(body)
  local ok, run = pcall(cjson.decode, body)
  if not ok then return '', '', '', '' end
  local who = run.requester or {}
  return run.status or 'running', run.playbook, (who.id or '') .. ' ' .. (who.name or ''), run.parent
end

local function has(text, part)
  return not part or string.find(string.lower(text), part, 1, true)
end

local function fits(run)
  local key = T .. 'run:' .. run
  local ended, status, playbook, who, parent, conversation, steps, listed = unpack(redis.call(
    'HMGET', key, 'ended', 'status', 'playbook', 'who', 'parent', 'conversation', 'steps', 'listed'))
  if not steps then return false end
  if steps ~= listed then status, playbook, who, parent = read(redis.call('HGET', key, 'body')) end
  return (not filter.statuses or filter.statuses[ended or status])
    and (not filter.playbook or filter.playbook == playbook)
    and (filter.children or (parent or '') == '')
    and has(who, filter.who) and has(conversation, filter.conversation)
end

while true do
  local part = redis.call('ZREVRANGEBYSCORE', T .. 'runs', ARGV[2], '-inf', 'WITHSCORES',
    'LIMIT', skip, 200)
  if #part == 0 then return {found, {}, looked} end
  for i = 1, #part, 2 do
    local run, at = part[i], part[i + 1]
    if at ~= ARGV[2] or run < ARGV[3] then
      looked = looked + 1
      if fits(run) then
        local body = filter.bodies and redis.call('HGET', T .. 'run:' .. run, 'body') or nil
        table.insert(found, {run, at, body})
      end
      if looked == tonumber(ARGV[5]) or #found == tonumber(ARGV[4]) then
        return {found, {run, at}, looked}
      end
    end
  end
  skip = skip + #part / 2
end

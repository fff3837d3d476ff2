-- KEYS: projects by handle; bindings by conversation; who changed what, the newest first; version
-- ARGV: what is done; the change as JSON; how many changes are kept; and
--   add: handle, project as JSON, its key, conversation and binding as JSON, or '' for both
--   bind: conversation, binding as JSON, its project, handle of one that has to be kept, or ''
--   unbind: conversation
--   remove: handle, id, the project as JSON, removed
local function changed(answer)
  redis.call('INCR', KEYS[4])
  redis.call('LPUSH', KEYS[3], ARGV[2])
  redis.call('LTRIM', KEYS[3], 0, ARGV[3] - 1)
  return answer
end

local function project(handle)
  local body = redis.call('HGET', KEYS[1], handle)
  return body and cjson.decode(body)
end

local function is_bound_to(id)
  for _, body in ipairs(redis.call('HVALS', KEYS[2])) do
    if cjson.decode(body).project == id then return true end
  end
  return false
end

if ARGV[1] == 'add' then
  local stood = project(ARGV[4])
  if stood then return stood.key == ARGV[6] and 'repeat' or 'taken' end
  redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
  if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], ARGV[7], ARGV[8]) end
  return changed('new')
elseif ARGV[1] == 'bind' then
  local stood = ARGV[7] ~= '' and project(ARGV[7])
  if ARGV[7] ~= '' and (not stood or stood.removed) then return 'gone' end
  local before = redis.call('HGET', KEYS[2], ARGV[4])
  if before and cjson.decode(before).project == ARGV[6] then return 'same' end
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
  return changed('bound')
elseif ARGV[1] == 'unbind' then
  if redis.call('HDEL', KEYS[2], ARGV[4]) == 0 then return 'gone' end
  return changed('unbound')
end
local stood = project(ARGV[4])
if not stood or stood.removed then return 'gone' end
if is_bound_to(ARGV[5]) then return 'bound' end
redis.call('HSET', KEYS[1], ARGV[4], ARGV[6])
return changed('removed')

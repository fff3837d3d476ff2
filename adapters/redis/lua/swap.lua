-- KEYS: where a record stands; for a message of the web chat, the order of messages; for a run, the
--       lane of the run
-- ARGV: how it stands there (string | hash | message | run | list | set | zset | stream |
--       key), the part, what
--       stands there, what shall stand there ('' for nothing), 1 to take away all of the key
local key, kind, part, was, new = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
-- What is held is written once more; of a run that ended nothing is.
local held = kind == 'run' and (redis.call('HGET', KEYS[2], 'fence') or '0') ~= '0'
if held and not redis.call('HGET', key, 'ended') then return 'busy' end
local at
if kind == 'string' then
  if redis.call('GET', key) ~= was then return 'changed' end
elseif kind == 'list' then
  at = redis.call('LPOS', key, was)
  if not at then return 'changed' end
elseif kind == 'set' then
  if redis.call('SISMEMBER', key, was) == 0 then return 'changed' end
elseif kind == 'zset' then
  if not redis.call('ZSCORE', key, was) then return 'changed' end
elseif kind ~= 'stream' and kind ~= 'key' then
  if redis.call('HGET', key, part) ~= was then return 'changed' end
end
if ARGV[5] == '1' or kind == 'key' then
  redis.call('DEL', key)
elseif kind == 'string' then
  if new == '' then redis.call('DEL', key) else redis.call('SET', key, new, 'KEEPTTL') end
elseif kind == 'list' then
  if new == '' then redis.call('LREM', key, 1, was) else redis.call('LSET', key, at, new) end
elseif kind == 'set' then
  redis.call('SREM', key, was)
elseif kind == 'zset' then
  redis.call('ZREM', key, was)
elseif kind == 'stream' then
  redis.call('XDEL', key, part)
elseif new ~= '' then
  redis.call('HSET', key, part, new)
else
  redis.call('HDEL', key, part)
  if kind == 'message' then redis.call('ZREM', KEYS[2], part) end
end
return 'done'

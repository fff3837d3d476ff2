-- KEYS: a project's checks that found something, by name; their names by time; the names of checks
-- that found nothing by time; numbers
-- ARGV: name, ms, JSON ('' when it found nothing), how much it found, how many findings are kept,
-- how many names of checks that found nothing
local at = tonumber(ARGV[2])
local last = redis.call('ZSCORE', KEYS[2], ARGV[1]) or redis.call('ZSCORE', KEYS[3], ARGV[1])
if last and tonumber(last) > at then return 0 end

local function forget(name)
  local stood = redis.call('HGET', KEYS[1], name)
  if not stood then return 0 end
  local found = cjson.decode(stood).found
  redis.call('HDEL', KEYS[1], name)
  redis.call('ZREM', KEYS[2], name)
  redis.call('HINCRBY', KEYS[4], 'kept', -found)
  return found
end

forget(ARGV[1])
local dropped = 0
if ARGV[3] == '' then
  redis.call('ZADD', KEYS[3], at, ARGV[1])
  -- An older check may still be under way; those that are this old are not.
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - ARGV[6])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  redis.call('ZADD', KEYS[2], at, ARGV[1])
  local kept = redis.call('HINCRBY', KEYS[4], 'kept', ARGV[4])
  while kept - dropped > tonumber(ARGV[5]) do
    dropped = dropped + forget(redis.call('ZRANGE', KEYS[2], 0, 0)[1])
  end
  redis.call('HINCRBY', KEYS[4], 'dropped', dropped)
end
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('DEL', KEYS[4]) end
return dropped

-- KEYS: as those of findings.lua
-- ARGV: run, record ('' for all that the run checked), ms, how many names of checks that found
-- nothing are kept
local checks = redis.call('HGETALL', KEYS[1])
local withdrawn = 0
for i = 1, #checks, 2 do
  local name, body = checks[i], checks[i + 1]
  if string.find(body, ARGV[1], 1, true) then
    local check = cjson.decode(body)
    if check.run == ARGV[1] and (ARGV[2] == '' or check.record == ARGV[2]) then
      redis.call('HDEL', KEYS[1], name)
      redis.call('ZREM', KEYS[2], name)
      redis.call('HINCRBY', KEYS[4], 'kept', -check.found)
      redis.call('ZADD', KEYS[3], ARGV[3], name)
      withdrawn = withdrawn + check.found
    end
  end
end
redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -1 - ARGV[4])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('DEL', KEYS[4]) end
return withdrawn

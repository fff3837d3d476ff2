-- ARGV: offset, name (a number of what is aside, or a blocked run's id), mail that resumes a run,
-- who wants it, and from where
local kept = redis.call('HGET', T .. 'aside', ARGV[2])
if kept then
  local aside = cjson.decode(kept)
  redis.call('HDEL', T .. 'aside', ARGV[2])
  put_mail(aside.lane, aside.mail)
  -- A run tells in its log who resumed it; other mail has no log.
  local told = {at = now, by = ARGV[4], via = ARGV[5], lane = aside.lane, why = aside.why}
  redis.call('LPUSH', T .. 'retried', cjson.encode(told))
  redis.call('LTRIM', T .. 'retried', 0, 999)
  return 1
end
if redis.call('SREM', T .. 'blocked', ARGV[2]) == 0 then return 0 end
local lane = 'run:' .. ARGV[2]
-- Whoever looks at the lane just now has read it as blocked, and must not park it again.
redis.call('HSET', T .. 'l:' .. lane .. ':h', 'fence', 0)
redis.call('LPUSH', T .. 'l:' .. lane .. ':in', ARGV[3])
rank(lane, now)
return 1

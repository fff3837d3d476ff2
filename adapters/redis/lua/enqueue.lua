-- ARGV: offset, update id, lane, mail, ttl of the update id in ms, most mail, longest wait in ms,
--       name of the message that it holds ('' for none), digest of what that says, ttl of these in ms
-- The update id holds the digest, 'put' where there is none.
-- Answers 1 when put, 0 when it was put before, -1 when the lane takes no more for now.
local event = T .. 'e:' .. ARGV[2]
local inbox = T .. 'l:' .. ARGV[3] .. ':in'
local waiting = redis.call('LLEN', inbox)
if redis.call('EXISTS', event) == 1 then
  if waiting > 0 then mark_lane(ARGV[3]) end
  return 0
end
if waiting >= tonumber(ARGV[6]) then return -1 end
local moved = tonumber(redis.call('HGET', T .. 'l:' .. ARGV[3] .. ':h', 'moved') or now)
if waiting > 0 and now - moved > tonumber(ARGV[7]) then return -1 end
redis.call('SET', event, ARGV[9] ~= '' and ARGV[9] or 'put', 'PX', ARGV[5])
put_mail(ARGV[3], ARGV[4])
if ARGV[8] ~= '' then
  local known = T .. 'm:' .. ARGV[8]
  redis.call('HSET', known, 'digest', ARGV[9], 'mail', redis.sha1hex(ARGV[4]))
  redis.call('PEXPIRE', known, ARGV[10])
end
return 1

-- ARGV: offset, lane, name of the message, digest of what it says now, mail, when it was edited
-- Answers replaced, unchanged, taken or unknown.
local known = T .. 'm:' .. ARGV[3]
local was = redis.call('HMGET', known, 'digest', 'mail', 'at')
if not was[1] then return 'unknown' end
if was[1] == ARGV[4] or (was[3] and was[3] >= ARGV[6]) then return 'unchanged' end
if ARGV[5] == '' then return 'taken' end
local inbox = T .. 'l:' .. ARGV[2] .. ':in'
local found
for i, mail in ipairs(redis.call('LRANGE', inbox, 0, -1)) do
  if redis.sha1hex(mail) == was[2] then
    found = i - 1
    break
  end
end
if not found then return 'taken' end
if found == 0 then
  -- Whoever holds the lane has read its first mail; and what was begun with is gone on with.
  local held = redis.call('HMGET', T .. 'l:' .. ARGV[2] .. ':h', 'fence', 'begun')
  if (held[1] or '0') ~= '0' or held[2] == '1' then return 'taken' end
end
redis.call('HSET', known, 'digest', ARGV[4], 'mail', redis.sha1hex(ARGV[5]), 'at', ARGV[6])
redis.call('LSET', inbox, found, ARGV[5])
return 'replaced'

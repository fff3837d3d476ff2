-- ARGV: offset, update id, ttl of the answer in ms, answer, effects
local event = T .. 'e:' .. ARGV[2]
local before = redis.call('GET', event)
if before then return {'REPLAY', before} end
local e = cjson.decode(ARGV[5])
local refused = refusal(e)
if refused then return refused end
apply(e, '')
redis.call('SET', event, ARGV[4], 'PX', ARGV[3])
return {'OK', ARGV[4]}

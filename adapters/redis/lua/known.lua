-- ARGV: offset, update id, lane
-- Answers 1 when the update was put before, and has its lane looked at again, as enqueue does; else 0.
if redis.call('EXISTS', T .. 'e:' .. ARGV[2]) == 0 then return 0 end
if redis.call('LLEN', T .. 'l:' .. ARGV[3] .. ':in') > 0 then mark_lane(ARGV[3]) end
return 1

-- ARGV: offset, token
return {redis.call('HMGET', T .. 'card:' .. ARGV[2], 'body', 'status', 'version'), now}

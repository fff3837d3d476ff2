-- ARGV: offset
return {
  redis.call('ZCARD', T .. 'q'), redis.call('ZCARD', T .. 'outq'), redis.call('ZCARD', T .. 'due'),
  redis.call('HLEN', T .. 'aside'), redis.call('SCARD', T .. 'blocked'),
}

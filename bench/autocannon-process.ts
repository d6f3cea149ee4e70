/** Runs the load generator in a separate process: `node autocannon-process.ts MODULE-ADDRESS OPTIONS-AS-JSON`. */
const [address = '', options = '{}'] = process.argv.slice(2)
const { default: autocannon } = await import(address)
const { requests, latency, duration, errors, timeouts, non2xx } = await autocannon(JSON.parse(options))
process.stdout.write(
  JSON.stringify({
    requests: requests.total,
    requestsPerSecond: requests.total / duration,
    p99Milliseconds: latency.p99,
    failures: errors + timeouts + non2xx,
  }),
)

export {}

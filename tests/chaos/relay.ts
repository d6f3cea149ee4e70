/** Forwards connections from an address and port to a socket file, as a separate process. */
import { connect, createServer } from 'node:net'

const [address = '', port = '', path = ''] = process.argv.slice(2)
createServer((client) => {
  const upstream = connect(path)
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('error', () => to.destroy())
    from.pipe(to)
  }
}).listen(Number(port), address, () => process.stdout.write('ready\n'))

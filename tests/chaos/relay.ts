/** Passes connections to an address and port on to a socket in the file system, as a process of its own. */
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

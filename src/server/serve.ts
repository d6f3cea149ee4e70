/** Entry of the server's bundle. */
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { main } from './main.ts'

await main()
// For the next start, also after a kill; nothing happens without a cache or with a full one.
flushCompileCache()

/** By then the start is over, and whoever waited for it has been answered. */
const CLEAN_UP_MS = 2_000

// What only the start needed is 8 MB. V8 keeps it while the server is idle, because it collects when memory grows.
setTimeout(() => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  collect({ type: 'major', flavor: 'last-resort' })
}, CLEAN_UP_MS).unref()

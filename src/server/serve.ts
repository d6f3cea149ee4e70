/** Entry of the server's bundle. */
import { flushCompileCache } from 'node:module'
import { main } from './main.ts'

await main()
// For the next start, also after a kill; nothing happens without a cache or with a full one.
flushCompileCache()

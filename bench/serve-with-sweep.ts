/** The server as it is, in a process that also sweeps when it is told to: in production a timer tells it, every quarter of an hour. */
import { buildApp } from '../src/server/app.ts'
import { parseConfig, readEnvironment } from '../src/server/config.ts'
import { openDatabase } from '../src/server/db/database.ts'
import { migrate } from '../src/server/db/migrate.ts'
import { createLogger } from '../src/server/http/logger.ts'
import { sweepRateLimits } from '../src/server/http/rate-limit.ts'

const config = parseConfig(readEnvironment())
const database = openDatabase(config)
await migrate(database.db)
const app = await buildApp({ config, database, log: createLogger('silent'), distDir: 'dist' })
await app.listen({ host: config.host, port: config.port })
process.on('message', async () => {
  await sweepRateLimits(database.db)
  process.send?.('swept')
})
process.send?.('listening')

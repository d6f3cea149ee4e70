/** The server in a process that also sweeps on request: in production a timer does so every quarter of an hour. */
import { buildApp } from '../src/server/app.ts'
import { parseConfig, readEnvironment } from '../src/server/config.ts'
import { openDatabase } from '../src/server/db/database.ts'
import { createLogger } from '../src/server/http/logging/logger.ts'
import { prepareDatabase } from '../src/server/secrets/encrypted-database.ts'
import { sweepTable } from '../tests/support/sweep-table.ts'

const config = parseConfig(readEnvironment())
const database = openDatabase(config)
const secrets = await prepareDatabase(config, database.db, (problem) => console.error(problem))
const app = await buildApp({ config, database, secrets, log: createLogger('silent'), distDir: 'dist' })
await app.listen({ host: config.host, port: config.port })
process.on('message', async () => {
  await sweepTable(database.db, 'rate_limits')
  process.send?.('swept')
})
process.send?.('listening')

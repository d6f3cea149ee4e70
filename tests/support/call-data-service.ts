/**
 * A process of a copy of the sources: makes the calls in its argument on an empty database, and prints the responses.
 */
import Fastify from 'fastify'
import { parseConfig } from '#server/config.ts'
import { registerData } from '#server/data/data-service.ts'
import { openDatabase } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { runSweeps } from '#server/db/sweep.ts'
import { type Caller, registerAdminApi } from '#server/http/security/administrators.ts'
import { registerPixelVersions } from '#server/pixels/history.ts'
import { trackingPixels } from '#server/pixels/tracking-pixels.ts'
import { prepareDatabase } from '#server/secrets/encrypted-database.ts'

const [dataDir = '', calls = '[]'] = process.argv.slice(2)
const config = parseConfig({ DATA_DIR: dataDir })
const { db, close } = openDatabase({ dataDir, databaseUrl: null })
await migrate(db)
const secrets = await prepareDatabase(config, db, (error) => {
  throw error
})
const review = { apply: async () => true, workOut: async () => {} }
const pixels = trackingPixels({ review: () => review, afterChange: async () => {} }, secrets)
const access = {
  origins: [],
  exceptions: {},
  callers: {
    resolve: async (): Promise<Caller> => ({ kind: 'service' }),
    recheck: async (_trx: unknown, caller: Caller) => caller,
  },
}
const app = Fastify()
runSweeps(app, db)
const service = await registerData(app, { ...access, db, resources: [pixels] })
await registerAdminApi(app, access, [(scope) => registerPixelVersions(scope, { service, pixels })])
const answers = []
for (const { method, url, payload } of JSON.parse(calls)) {
  const headers = { prefer: 'return=representation' }
  const { statusCode, body } = await app.inject({ method, url, headers, ...(payload && { payload }) })
  answers.push({ statusCode, body: body === '' ? null : JSON.parse(body) })
}
process.stdout.write(JSON.stringify(answers))
await app.close()
await close()

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { makeSecretKeyFile } from '#server/secrets/secret-key.ts'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../support/spawn-server.ts'
import type { Place } from './scenario.ts'
import { PRINCIPAL } from './sign-in.ts'

export interface Replica {
  url: string
  server: SpawnedServer
}

/** The built server as a separate process that answers; `within` as for `spawnServer`. */
export async function startReplica(
  place: Place,
  env: Record<string, string>,
  within: readonly string[] = [],
): Promise<Replica> {
  const port = Number(env.PORT ?? (await freePort()))
  // The processes of one place share the key; of two that create it, one is first.
  const secretKeyFile = join(place.folder, 'secret.key')
  if (env.DATABASE_URL !== undefined) await makeSecretKeyFile(secretKeyFile)
  const server = spawnServer(
    {
      PORT: String(port),
      DATA_DIR: mkdtempSync(join(place.folder, 'data-')),
      TRUST_PROXY: 'true',
      PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
      PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
      ...(env.DATABASE_URL === undefined ? {} : { SECRET_KEY_FILE: secretKeyFile }),
      ...env,
    },
    within,
  )
  place.atEnd(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  const url = `http://localhost:${port}`
  await untilReady(server, url)
  return { url, server }
}

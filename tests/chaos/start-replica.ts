import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnServer, untilReady } from '../support/spawn-server.ts'
import type { Place } from './scenario.ts'
import { PRINCIPAL } from './sign-in.ts'

export interface Replica {
  url: string
  server: SpawnedServer
}

/** The built server as a process of its own that answers. */
export async function startReplica(place: Place, env: Record<string, string>): Promise<Replica> {
  const port = await freePort()
  const server = spawnServer({
    PORT: String(port),
    DATA_DIR: mkdtempSync(join(place.folder, 'data-')),
    TRUST_PROXY: 'true',
    PRINCIPAL_ADMIN_EMAIL: PRINCIPAL.email,
    PRINCIPAL_ADMIN_PASSWORD: PRINCIPAL.password,
    ...env,
  })
  place.atEnd(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  const url = `http://localhost:${port}`
  await untilReady(server, url)
  return { url, server }
}

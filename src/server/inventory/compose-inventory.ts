import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import type { Logger } from '../http/logger.ts'
import { listFileChanges } from './list-file-changes.ts'
import { type InventoryPorts, registerInventory } from './register-inventory.ts'
import type { ServedPage } from './served-page.ts'
import { ServedPageLog } from './served-page-log.ts'

interface InventoryParts {
  config: Config
  db: Db
  log: Logger
}

/** What the page was served with, and what of it changed by itself. */
export function composeInventory({ config: { retention }, db, log }: InventoryParts) {
  const servedPages = new ServedPageLog(db, log)
  return {
    noteServedPage: (page: ServedPage) => servedPages.note(page),
    listFileChanges: () => listFileChanges(db),
    registerAdmin: (scope: FastifyInstance, access: AdminAccess, ports: InventoryPorts) =>
      registerInventory(scope, { ...access, ...ports, db, log, retention }),
  }
}

import type { FastifyInstance } from 'fastify'
import type { Inventory } from '#contract/inventory.ts'
import type { Db } from '../db/database.ts'
import { type AdminAccess, requireAdministrator } from '../http/admin-request.ts'
import { guardApi } from '../http/api-guard.ts'
import type { Logger } from '../http/logger.ts'
import { sweepRegularly } from '../http/sweep-regularly.ts'
import type { CheckDeps } from './check-vendor-files.ts'
import { readInventory } from './read-inventory.ts'
import { sweepInventory } from './sweep-inventory.ts'
import { VendorFileWatch } from './vendor-file-watch.ts'

/** What is handed over by other rooms. */
export interface InventoryPorts {
  nameVendor: (id: string) => string
  isInHtml: (pixelId: string) => boolean
  /** Null where the operator does not let the server ask vendors. */
  fetchFile: CheckDeps['fetchFile'] | null
}

interface RegisterDeps extends AdminAccess, InventoryPorts {
  db: Db
  log: Logger
  /** For as long as the records that it explains. */
  retention: { readonly consentDays: number }
}

/** What runs on the page, who answers for it, and the daily look at vendors' files. */
export async function registerInventory(app: FastifyInstance, deps: RegisterDeps): Promise<void> {
  const { db, fetchFile } = deps
  await app.register(async (scope) => {
    guardApi(scope, { origins: deps.origins })
    scope.get('/admin/api/inventory', async (request): Promise<Inventory> => {
      await requireAdministrator(deps, request)
      const { nameVendor, isInHtml } = deps
      return readInventory({ db, nameVendor, isInHtml, checksFiles: fetchFile !== null })
    })
  })
  sweepRegularly(app, 'what was on the page long ago', (signal) =>
    sweepInventory(db, deps.retention.consentDays, signal),
  )
  if (fetchFile === null) return
  const watch = new VendorFileWatch({ db, fetchFile }, deps.log)
  app.addHook('onListen', async () => watch.start())
  app.addHook('onClose', () => watch.stop())
}

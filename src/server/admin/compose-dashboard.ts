import type { FastifyInstance } from 'fastify'
import type { InstallationProblem, ProductionGap } from '#contract/admin-page.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import type { BuildManifest } from '../http/build-manifest.ts'
import { registerNotices } from './admin-notices.ts'
import { registerAdminPage } from './admin-page.ts'
import { createBoot, type SessionPorts } from './make-boot.ts'
import { findProductionGaps } from './production-gaps.ts'

/** The dashboard's one document, and what it tells of how this installation is set up. */
export function composeDashboard(
  config: Config,
  manifest: BuildManifest,
  listReachedCeilings: () => Promise<ProductionGap[]>,
) {
  return {
    registerAdmin: (
      scope: FastifyInstance,
      deps: AdminAccess & { db: Db; fileDamage: () => InstallationProblem | null },
    ) => registerNotices(scope, { ...deps, gaps: findProductionGaps(config), listReachedCeilings }),
    registerPage: (scope: FastifyInstance, ports: SessionPorts): void =>
      registerAdminPage(scope, {
        manifest,
        origin: config.adminUrl ?? config.siteUrl,
        boot: createBoot({ config, ...ports }),
      }),
  }
}

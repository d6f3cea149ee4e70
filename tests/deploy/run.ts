/**
 * `npm run deploy-check`: checks the files for container engine, supervisor and proxy with their own tools, tries
 * the image's tree and the caches in front of the site, and builds and starts the image where an engine works.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../../bench/print-table.ts'
import { buildAll } from '../../scripts/build-all.ts'
import { isBuildFresh } from '../../scripts/build-stamp.ts'
import { lintFiles } from './lint-files.ts'
import { tryCaches } from './try-caches.ts'
import { tryImage } from './try-image.ts'
import { tryImageTree } from './try-image-tree.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-deploy-'))
try {
  if (!isBuildFresh()) await buildAll()
  const findings = await lintFiles(folder)
  const faults = findings.filter((finding) => finding.faults !== null && finding.faults !== '')
  for (const { what, by, faults: said } of faults) console.error(`${what}, ${by}:\n${said}\n`)
  printTable([
    ['what', 'found'],
    ...findings.map(({ what, by, faults: said }) => [
      `${what}, ${by}`,
      said === null ? 'not tried: the tool cannot be had here' : said === '' ? 'no fault' : 'FAULTS',
    ]),
    ...(await tryImageTree(folder)),
    ...(await tryCaches()),
    ...(await tryImage()),
  ])
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

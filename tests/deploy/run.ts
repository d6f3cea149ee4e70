/** `npm run deploy-check`: what an engine, a supervisor and a proxy read, judged by their own tools, and the image's tree tried. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../../bench/print-table.ts'
import { lintFiles } from './lint-files.ts'
import { tryImageTree } from './try-image-tree.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-deploy-'))
try {
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
  ])
  process.exitCode = faults.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

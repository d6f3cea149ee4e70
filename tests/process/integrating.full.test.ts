import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKeys } from '../acceptance/auth-keys.ts'
import { ENGINES } from '../support/engines.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const run = promisify(execFile)

/** Every `sh` block of the document in order, except the one that sets the two variables. */
const BLOCKS = [...readFileSync('docs/integrate/data-api.md', 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = '']) => block)
  .filter((block) => !block.startsWith('export '))

/** What must be true after each; as many as there are blocks, so that none is untested. */
const EXPECTED: ((output: string, site: TestApp) => Promise<void> | void)[] = [
  (output) => expect(JSON.parse(output)).toEqual([]),
  async (output, site) => {
    expect(JSON.parse(output)).toMatchObject([{ name: 'Loja', is_active: true }])
    // It runs: the page names a tag set, and a file of that set starts the vendor with this ID.
    const version = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1]
    const manifest = await (await fetch(`${site.url}/tags/${version}.js`)).text()
    const [tag] = JSON.parse(manifest.replace('export const tags=', ''))
    const file = await (await fetch(site.url + tag.steps[0].src)).text()
    expect(file).toContain("fbq('init', '1234567890')")
  },
  async (output, site) => {
    expect(output).toBe('')
    const rows = await site.database.db.selectFrom('tracking_pixels').select(['name', 'is_active']).execute()
    expect(rows).toEqual([{ name: 'Loja', is_active: true }])
    const changes = await site.database.db
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'tracking_pixels.update')
      .execute()
    expect(changes).toHaveLength(2)
  },
  async (output, site) => {
    expect(JSON.parse(output)).toHaveLength(1)
    const kept = await site.database.db.selectFrom('tracking_pixels').select('deleted_at').execute()
    expect(kept).toEqual([{ deleted_at: null }])
  },
  async (_output, site) => {
    const roles = await site.database.db.selectFrom('admin_roles').select('role').execute()
    expect(roles.map(({ role }) => role).sort()).toEqual(['admin', 'super_admin'])
  },
  (output) => expect(JSON.parse(output)).toMatchObject({ swagger: '2.0' }),
]

describe.each(ENGINES)('the lines of docs/integrate/data-api.md, on %s', (engine) => {
  let site: TestApp
  let key: string
  beforeAll(async () => {
    site = await startTestApp({ engine, listen: true })
    key = (await readKeys(site)).service
  })
  afterAll(() => site.close())

  test('each runs as written, and does what the text says', async () => {
    expect(BLOCKS).toHaveLength(EXPECTED.length)
    for (const [at, block] of BLOCKS.entries()) {
      const env = { PATH: process.env.PATH ?? '', PORTICO_URL: site.url, KEY: key }
      const { stdout } = await run('/bin/sh', ['-eu', '-c', block], { env })
      await EXPECTED[at]?.(stdout, site)
    }
  })
})

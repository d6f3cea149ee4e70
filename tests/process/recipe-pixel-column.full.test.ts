import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/**
 * What a new pixel column needs on the server: the migration with its row, the column's facts and its rule. With the
 * form field and a test of the rule these are the files of the recipe.
 */
const EDITS: Record<string, [before: string, inserted: string]> = {
  'src/server/db/migrate.ts': [
    '\n}\n\n/**\n * Columns that hold nothing',
    "\n  '9999-campaign': addColumns('tracking_pixels', { campaign: 'text' }),",
  ],
  'src/contract/pixel-columns.ts': [
    '\n  created_at: {',
    "\n  campaign: { type: 'text', write: 'always', nullable: true, label: 'Campanha', restored: true, about: 'What it is for.' },",
  ],
  'src/server/pixels/tracking-pixels.ts': [
    '\n  created_at: { initial',
    '\n  campaign: { normalize: trimmed },',
  ],
}

const ID = '0b9f6c1e-6a55-4c0e-9a57-4f6f1d2c7a10'
const ROW = `/rest/v1/tracking_pixels?id=eq.${ID}`

test('a new column is read, written, described, compared and kept in the history', async () => {
  const copy = copySources()
  const run = async (calls: object[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(copy, 'tests/support/call-data-service.ts'),
      join(copy, 'data'),
      JSON.stringify(calls),
    ])
    return JSON.parse(stdout) as { statusCode: number; body: never }[]
  }
  const pixel = { id: ID, name: 'Loja', type: 'custom', code: '', campaign: ' Natal ' }
  const first = await run([
    { method: 'GET', url: '/rest/v1/' },
    { method: 'POST', url: '/rest/v1/tracking_pixels', payload: pixel },
    { method: 'PATCH', url: ROW, payload: { campaign: 'Páscoa' } },
    { method: 'POST', url: `/admin/api/pixels/${ID}/compare`, payload: { campaign: 'Carnaval' } },
    { method: 'GET', url: `/admin/api/pixels/${ID}/history` },
  ])
  expect(first.map(({ statusCode }) => statusCode)).toEqual([200, 201, 200, 200, 200])
  const [openApi, added, changed, compared, history] = first.map(({ body }) => body)
  expect(openApi).toMatchObject({
    definitions: {
      tracking_pixels: { properties: { campaign: { description: 'What it is for.', 'x-nullable': true } } },
    },
  })
  expect(added).toMatchObject([{ campaign: 'Natal' }])
  expect(changed).toMatchObject([{ campaign: 'Páscoa' }])
  const change = { field: 'campaign', label: 'Campanha' }
  expect(compared).toMatchObject({ changes: [{ ...change, before: 'Páscoa', after: 'Carnaval' }] })
  expect(history).toMatchObject({
    versions: [{ changes: [{ ...change, before: 'Natal', after: 'Páscoa' }] }, { restorable: true }],
  })
  const { versions } = history as unknown as { versions: { id: string }[] }
  const second = await run([
    { method: 'POST', url: `/admin/api/pixels/${ID}/restore`, payload: { version: versions[1]?.id } },
    { method: 'DELETE', url: ROW },
    { method: 'POST', url: `/admin/api/trash/${ID}/restore`, payload: {} },
    { method: 'GET', url: ROW },
  ])
  expect(second.at(-1)?.body).toMatchObject([{ campaign: 'Natal' }])
})

function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'portico-recipe-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  for (const path of ['package.json', 'src/contract', 'src/server', 'tests/support/call-data-service.ts'])
    cpSync(path, join(copy, path), { recursive: true, filter: (file) => !file.includes('.test.') })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  for (const [path, edit] of Object.entries(EDITS)) {
    const file = join(copy, path)
    const [before, inserted] = edit
    const source = readFileSync(file, 'utf8')
    expect(source.split(before), path).toHaveLength(2)
    writeFileSync(
      file,
      source.replace(before, () => inserted + before),
    )
  }
  return copy
}

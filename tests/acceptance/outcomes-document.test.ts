import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutcomeReport } from '#contract/outcomes.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { readKeys } from './auth-keys.ts'

const DOCUMENT = readFileSync('docs/integrate/outcomes.md', 'utf8')

/** The block of this language that contains the text. */
function blockWith(language: string, text: string): string {
  const blocks = DOCUMENT.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  const found = Array.from(blocks, ([, block = '']) => block).filter((block) => block.includes(text))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

let site: TestApp
let service: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  site = await startTestApp({ listen: true })
  service = (await readKeys(site)).service
  const made = async (path: string, body: object) =>
    (await call(site, { method: 'POST', path, apikey: service, bearer: service, body })).body
  await made('/admin/api/outcomes/names', { name: 'primeira_venda', label: 'Primeira venda' })
  const { key } = await made('/admin/api/outcomes/keys', { name: 'Loja', mode: 'live' })
  env = { ...process.env, SITE: site.url, OUTCOMES_KEY: key }
})
afterAll(() => site.close())

const run = promisify(execFile)

test('the curl and Node lines of docs/integrate/outcomes.md send outcomes', async () => {
  const curl = await run('sh', ['-c', blockWith('sh', 'curl')], { env })
  expect(JSON.parse(curl.stdout)).toEqual({ results: [{ id: 'pedido-48213', status: 'no_visit' }] })
  const again = await run('sh', ['-c', blockWith('sh', 'curl')], { env })
  expect(JSON.parse(again.stdout)).toEqual({ results: [{ id: 'pedido-48213', status: 'duplicate' }] })
  const node = await run(process.execPath, ['--input-type=module', '-e', blockWith('js', 'fetch')], { env })
  expect(node.stdout.trim()).toBe('pedido-48214 no_visit')
  const path = '/admin/api/outcomes'
  const report: OutcomeReport = (await call(site, { path, apikey: service, bearer: service })).body
  expect(report.totals).toMatchObject({
    count: 2,
    values: [{ currency: 'BRL', total: '248.90', tied: '0.00' }],
  })
})

test('the PHP lines send the same fields as the curl lines', () => {
  const [, sent = ''] = /-d '(.*)'/.exec(blockWith('sh', 'curl')) ?? []
  const [, php = ''] = /json_encode\(\[([\s\S]*?)\]\)/.exec(blockWith('php', 'curl_init')) ?? []
  const fields = Object.fromEntries(
    Array.from(php.matchAll(/'(\w+)' => '([^']*)'/g), ([, name, text]) => [name, text]),
  )
  expect(fields).toEqual({ ...JSON.parse(sent), id: 'pedido-48215' })
})

test('the document names every status and code', () => {
  const codes = ['accepted', 'no_visit', 'duplicate', 'refused', 'not_an_object', 'unknown_field']
  const more = ['missing_field', 'invalid_field', 'unknown_name', 'too_old', 'too_far_ahead', 'conflict']
  expect([...codes, ...more].filter((code) => !DOCUMENT.includes(`\`${code}\``))).toEqual([])
})

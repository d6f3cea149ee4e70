import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '#server/config.ts'
import { Metrics } from '#server/operations/metrics.ts'
import { sourceFiles } from '#tests/support/source-files.ts'
import { appRoutes } from '../support/app-routes.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * Names that others rely on. A removed or new name shows as a difference from the stored list: `vitest run --project
 * acceptance tests/acceptance/public-surface.test.ts -u` accepts it.
 */
let site: TestApp
beforeAll(async () => {
  site = await startTestApp({
    listen: true,
    metrics: new Metrics(),
    env: { METRICS_TOKEN: 'metrics-token-0123456789' },
  })
})
afterAll(() => site.close())

const listed = (names: Iterable<string>) => `${[...new Set(names)].sort().join('\n')}\n`

test('routes', async () => {
  const routes = appRoutes(site.app, ':id').map(({ method, path }) => `${method} ${path}`)
  await expect(listed(routes)).toMatchFileSnapshot('public-surface/routes.txt')
})

test('public pages and files', async () => {
  const paths = readFileSync('tests/acceptance/public-surface/pages.txt', 'utf8').trim().split('\n')
  for (const path of paths) expect((await fetch(site.url + path)).status, path).toBe(200)
  const sitemap = await (await fetch(`${site.url}/sitemap.xml`)).text()
  for (const [, address = ''] of sitemap.matchAll(/<loc>(.*?)<\/loc>/g))
    expect(paths).toContain(new URL(address).pathname)
})

test('metrics', async () => {
  const answer = await fetch(`${site.url}/metrics`, {
    headers: { authorization: 'Bearer metrics-token-0123456789' },
  })
  expect(answer.status).toBe(200)
  const names = Array.from((await answer.text()).matchAll(/^# TYPE (\S+ \S+)$/gm), ([, name = '']) => name)
  // Node's own depend on its version.
  const own = names.filter((name) => !/^(nodejs|process)_/.test(name))
  await expect(listed(own)).toMatchFileSnapshot('public-surface/metrics.txt')
})

test('environment variables', async () => {
  const read = new Set<string>()
  parseConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        },
      },
    ),
  )
  const example = readFileSync('.env.example', 'utf8').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)
  const named = Array.from(example, ([, name = '']) => name)
  // Any variable can also be read from the file in NAME_FILE.
  const names = [...read].filter((name) => !name.endsWith('_FILE') || !read.has(name.slice(0, -5)))
  await expect(listed([...names, ...named])).toMatchFileSnapshot('public-surface/environment.txt')
})

test('commands', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const usages = await Promise.all(
    Object.entries(scripts)
      .filter(([, script]) => script.includes('src/server/operations/commands/'))
      .filter(([name]) => !['doctor', 'version'].includes(name))
      .map(async ([name, script]) => readUsage(name, script)),
  )
  await expect(listed([...Object.keys(scripts), ...usages.flat()])).toMatchFileSnapshot(
    'public-surface/commands.txt',
  )
})

/** The sub-commands and options that a command without arguments prints. */
async function readUsage(name: string, script: string): Promise<string[]> {
  const [, file = ''] = /(src\/server\/operations\/commands\/cli\.ts) /.exec(script) ?? []
  const run = promisify(execFile)(process.execPath, [file, name], {
    env: { ...process.env, DATA_DIR: '/nonexistent' },
  })
  const { stderr } = await run.then(
    () => ({ stderr: '' }),
    (error: { stderr: string }) => error,
  )
  const commands = stderr.matchAll(/^ {2}(?:npm run \S+ -- )?([a-z][a-z-]+)(?= )/gm)
  const options = stderr.matchAll(/--[a-z][a-z-]+/g)
  return [...commands, ...options].map(([text, command]) => `${name} ${command ?? text}`.trim())
}

test('fixed texts', () => {
  const sources = sourceFiles('src').map((file) => readFileSync(file, 'utf8').replace(/\s+/g, ' '))
  const texts = readFileSync('tests/acceptance/public-surface/texts.txt', 'utf8').trim().split('\n')
  expect(texts.filter((text) => !sources.some((source) => source.includes(text)))).toEqual([])
})

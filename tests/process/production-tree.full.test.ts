import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnNode, untilReady } from '../support/spawn-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-tree-'))
let server: SpawnedServer | null = null
afterEach(async () => {
  server?.child.kill('SIGKILL')
  await server?.ended
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts there, and shows that page, dashboard, database and password hashes work. */
async function serves(tree: string, args: string[]): Promise<void> {
  const port = await freePort()
  const dataDir = mkdtempSync(join(folder, 'data-'))
  server = spawnNode(args, { PORT: String(port), DATA_DIR: dataDir }, tree)
  const url = `http://localhost:${port}`
  await untilReady(server, url)
  expect(await (await fetch(url)).text()).toContain('</html>')
  expect(await (await fetch(`${url}/admin`)).text()).toContain('/assets/admin-')
  expect(server.output()).toMatch(/[Ss]enha/)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(0)
}

test("the image's tree starts with one native package and no source", async () => {
  const tree = join(folder, 'image')
  execFileSync(process.execPath, ['scripts/image-tree.ts', tree])
  expect(existsSync(join(tree, 'src'))).toBe(false)
  expect(existsSync(join(tree, 'node_modules/vite'))).toBe(false)
  // Rarely used code is loaded on demand.
  const entry = readFileSync(join(tree, 'dist/server/serve.js'), 'utf8')
  for (const lazy of [
    'collectDefaultMetrics',
    'BatchSpanProcessor',
    'age-encryption.org',
    'UND_ERR_CONNECT_TIMEOUT',
  ])
    expect(entry).not.toContain(lazy)
  // Code for browsers only, and characters that double the memory of the whole text, stay out.
  const pages = readFileSync(join(tree, 'dist/server/landing.js'), 'utf8')
  expect(pages).not.toContain('hydrateRoot')
  for (const text of [entry, pages]) expect(Buffer.byteLength(text)).toBe(text.length)
  await serves(tree, ['dist/server/serve.js'])
  const usage = spawnNode(['dist/server/newsletter.js'], {}, tree)
  expect(await usage.ended).toBe(1)
  expect(usage.output()).toMatch(/^Uso: /)
})

test('a checkout with production dependencies starts a build, and reports a missing one', async () => {
  const tree = join(folder, 'checkout')
  for (const name of [
    'dist',
    'docs/guia',
    'scripts',
    'src',
    'package.json',
    'package-lock.json',
    'vite.config.ts',
  ])
    cpSync(name, join(tree, name), { recursive: true })
  // No hard links: a new one counts as a change of the file, for which the server of `npm run dev` restarts.
  execFileSync('cp', ['-r', '--parents', ...productionPackages(), tree])
  expect(existsSync(join(tree, 'node_modules/vite'))).toBe(false)
  await serves(tree, ['--disable-warning=ExperimentalWarning', 'scripts/start.ts'])
  rmSync(join(tree, 'dist'), { recursive: true })
  const unbuilt = spawnNode(['scripts/start.ts'], {}, tree)
  expect(await unbuilt.ended).toBe(1)
  expect(unbuilt.output()).toContain('npm ci')
})

function productionPackages(): string[] {
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { encoding: 'utf8' })
  return (
    listed
      .split('\n')
      .map((path) => relative(process.cwd(), path))
      // A nested package comes with its parent.
      .filter((path) => /^node_modules\/(@[^/]+\/)?(?!node-)[^/@]+$/.test(path))
  )
}

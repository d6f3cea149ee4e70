import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type SpawnedServer, spawnNode, untilReady } from '../support/spawn-server.ts'

interface Demo {
  demo: SpawnedServer
  url: string
  /** What lies in the folder for temporary folders. */
  left: () => string[]
}

async function startDemo(days: number, env: Record<string, string> = {}): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-demo-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const demo = spawnNode(
    ['--disable-warning=ExperimentalWarning', 'scripts/demo.ts', '--days', String(days), '--visits', '20'],
    { PORT: String(port), TMPDIR: folder, ...env },
  )
  onTestFinished(() => {
    demo.child.kill('SIGKILL')
  })
  return { demo, url: `http://127.0.0.1:${port}`, left: () => readdirSync(folder) }
}

test('Ctrl-C ends a demonstration and leaves nothing behind', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'portico-data-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
  const { demo, url, left } = await startDemo(1, {
    DATA_DIR: elsewhere,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  await untilReady(demo, url)
  expect(left()).toEqual([expect.stringMatching(/^portico-demo-/)])
  expect(await (await fetch(`${url}/admin`)).text()).toContain('"demonstration":true')
  const policy = (await fetch(`${url}/`)).headers.get('content-security-policy') ?? ''
  expect(policy).toContain('script-src')
  expect(policy).not.toMatch(/facebook|google|tiktok|licdn/)
  demo.child.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(left()).toEqual([])
  expect(readdirSync(elsewhere)).toEqual([])
  expect(demo.output()).toContain('admin@portico.example')
})

test('Ctrl-C while the past is made leaves nothing behind either', async () => {
  const { demo, left } = await startDemo(700)
  await vi.waitFor(() => expect(left()).toHaveLength(1), { timeout: 50_000 })
  demo.child.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(left()).toEqual([])
})

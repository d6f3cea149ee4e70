import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { spawnNode, untilReady } from '../support/spawn-server.ts'

test('npm run dev serves page and dashboard from their sources, everything else from the server, and exits completely', async () => {
  const storage = await makeStorage('sqlite')
  const port = await freePort()
  // Another program may use the next port, also one that had it before.
  const neighbour = createServer()
    .once('error', () => {})
    .listen(port + 1, '127.0.0.1')
  onTestFinished(() => void neighbour.close())
  const url = `http://127.0.0.1:${port}`
  const dev = spawnNode(['scripts/dev.ts'], {
    PORT: String(port),
    DATA_DIR: storage.dataDir,
    LOG_LEVEL: 'warn',
  })
  await untilReady(dev, url)
  const text = async (path: string) => (await fetch(url + path)).text()

  for (const [path, sheet] of [
    ['/', '/src/landing/styles/landing-page.css'],
    ['/privacidade', '/src/landing/styles/plain-pages.css'],
  ] as const) {
    const html = await text(path)
    expect(html).toContain('/@vite/client')
    expect(html).toContain(sheet)
  }
  expect(await text('/')).toContain('src:"/src/landing/browser/boot/boot.ts"')
  const dashboard = await text('/admin')
  expect(dashboard).toContain('src="/src/admin/main.tsx"')
  expect(dashboard).not.toContain('/assets/')
  expect(await text('/src/admin/main.tsx')).toContain('createRoot')
  expect(await text('/auth/v1/health')).toContain('"version"')

  dev.child.kill('SIGTERM')
  expect(await dev.ended).toBe(0)
  const behind = /na porta (\d+)/.exec(dev.output())?.[1]
  expect(behind).toBeDefined()
  await expect(fetch(`http://127.0.0.1:${behind}/healthz`)).rejects.toThrow()
  await storage.remove()
})

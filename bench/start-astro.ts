import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../tests/support/free-port.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import type { PageText } from './page-text.ts'
import { runNpm } from './run-npm.ts'
import { toolVersion } from './tool-version.ts'

/** Astro's own node server with the same text and style, rendered on demand as by default. */
export async function startAstro(directory: string, { css, body, title }: PageText): Promise<PageServer> {
  const home = join(directory, 'astro')
  mkdirSync(join(home, 'src/pages'), { recursive: true })
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { astro: toolVersion('astro'), '@astrojs/node': toolVersion('@astrojs/node') },
    }),
  )
  writeFileSync(
    join(home, 'astro.config.mjs'),
    `import node from '@astrojs/node'
export default { output: 'server', adapter: node({ mode: 'standalone' }), telemetry: false }`,
  )
  writeFileSync(join(home, 'src/text.json'), JSON.stringify({ css, body, title }))
  writeFileSync(
    join(home, 'src/pages/index.astro'),
    `---
import text from '../text.json'
---
<html lang="pt-BR"><head><meta charset="utf-8"><title>{text.title}</title><style is:inline set:html={text.css}></style></head><body><Fragment set:html={text.body} /></body></html>`,
  )
  await runNpm(home, ['install', '--no-audit', '--no-fund'])
  await runNpm(home, ['exec', '--', 'astro', 'build'])
  const port = await freePort()
  return startPageServer({
    name: 'Astro, node server',
    url: `http://127.0.0.1:${port}/`,
    command: [process.execPath, join(home, 'dist/server/entry.mjs')],
    cwd: home,
    env: { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ASTRO_TELEMETRY_DISABLED: '1' },
  })
}

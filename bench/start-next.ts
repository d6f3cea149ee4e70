import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../tests/support/free-port.ts'
import { type PageServer, startPageServer } from './page-server.ts'
import type { PageText } from './page-text.ts'
import { runNpm } from './run-npm.ts'
import { toolVersion } from './tool-version.ts'

/** `next start` with the same text and style, prerendered as by default. */
export async function startNext(directory: string, { css, body, title }: PageText): Promise<PageServer> {
  const home = join(directory, 'next')
  mkdirSync(join(home, 'app'), { recursive: true })
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({
      private: true,
      dependencies: { next: toolVersion('next'), react: '^19.2.0', 'react-dom': '^19.2.0' },
    }),
  )
  writeFileSync(join(home, 'text.json'), JSON.stringify({ css, body }))
  writeFileSync(
    join(home, 'app/layout.jsx'),
    `export const metadata = { title: ${JSON.stringify(title)} }
export default function Layout({ children }) { return <html lang="pt-BR"><body>{children}</body></html> }`,
  )
  writeFileSync(
    join(home, 'app/page.jsx'),
    `import text from '../text.json'
export default function Page() {
  return <><style dangerouslySetInnerHTML={{ __html: text.css }} /><div dangerouslySetInnerHTML={{ __html: text.body }} /></>
}`,
  )
  await runNpm(home, ['install', '--no-audit', '--no-fund'])
  await runNpm(home, ['exec', '--', 'next', 'build'])
  const port = await freePort()
  return startPageServer({
    name: 'next start',
    url: `http://127.0.0.1:${port}/`,
    command: [process.execPath, join(home, 'node_modules/next/dist/bin/next'), 'start', '-p', String(port)],
    cwd: home,
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  })
}

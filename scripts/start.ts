/** `npm start`: builds what is missing, then becomes the server. */
import { isBuildFresh } from './build-stamp.ts'

const SERVER = 'dist/server/serve.js'
/** The server makes little garbage: a small nursery keeps some 10 MB less without being felt. */
const FLAGS = ['--max-semi-space-size=2']

if (!isBuildFresh()) {
  console.log('Preparando a página e o painel (só na primeira vez ou depois de uma mudança)…')
  await build()
}
// The same process goes on as the server: signals reach it, and nothing of the build stays in its memory.
if (process.platform !== 'win32' && process.execve !== undefined) {
  process.execve(
    process.execPath,
    [process.execPath, ...FLAGS, SERVER, ...process.argv.slice(2)],
    process.env,
  )
}
await import(new URL(`../${SERVER}`, import.meta.url).href)

async function build(): Promise<void> {
  try {
    const { buildAll } = await import('./build-all.ts')
    await buildAll()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    console.error(
      'Falta construir a página e o painel, e as ferramentas de construção não estão instaladas. Instale-as com "npm ci", ou copie para cá a pasta dist de uma máquina que as tenha ("npm run build").',
    )
    process.exit(1)
  }
}

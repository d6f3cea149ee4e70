/** `npm start`: builds what is missing, then replaces itself with the server. */
import { flushCompileCache } from 'node:module'
import { isBuildFresh } from './build-stamp.ts'

const SERVER = 'dist/server/serve.js'
/** The server creates little garbage: a small young generation saves about 10 MB. */
const FLAGS = ['--max-semi-space-size=2']
/**
 * Compiled code is kept between starts. With one arena and early trimming, no thread keeps memory that it once needed:
 * together about 20 MB.
 */
const ENVIRONMENT = {
  NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

if (!isBuildFresh()) {
  console.log('Preparando o site e o painel (só na primeira vez ou depois de uma mudança)…')
  await build()
}
// The same process continues as the server: signals reach it, and no build memory remains.
if (process.platform !== 'win32' && process.execve !== undefined) {
  flushCompileCache()
  process.execve(process.execPath, [process.execPath, ...FLAGS, SERVER, ...process.argv.slice(2)], {
    ...ENVIRONMENT,
    ...process.env,
  })
}
await import(new URL(`../${SERVER}`, import.meta.url).href)

async function build(): Promise<void> {
  try {
    const { buildAll } = await import('./build-all.ts')
    await buildAll()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    console.error(
      'O site e o painel ainda não foram construídos, e faltam as ferramentas. Rode "npm ci" ou copie a pasta dist de uma máquina onde "npm run build" já rodou.',
    )
    process.exit(1)
  }
}

/** `npm start`: builds what is missing, then becomes the server. */
import { isBuildFresh } from './build-stamp.ts'

const SERVER = 'dist/server/serve.js'
/** The server makes little garbage: a small nursery keeps some 10 MB less without being felt. */
const FLAGS = ['--max-semi-space-size=2']

if (!isBuildFresh()) {
  console.log('Preparando a página e o painel (só na primeira vez ou depois de uma mudança)…')
  const { buildAll } = await import('./build-all.ts')
  await buildAll()
}
// The same process goes on as the server: signals reach it, and nothing of the build stays in its memory.
if (process.platform !== 'win32' && process.execve !== undefined) {
  process.execve(process.execPath, [process.execPath, ...FLAGS, SERVER], process.env)
}
await import(new URL(`../${SERVER}`, import.meta.url).href)

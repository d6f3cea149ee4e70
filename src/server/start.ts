/** `npm start`: builds what is missing, then runs the server in this same process. */
import { isBuildFresh } from './build-stamp.ts'

if (!isBuildFresh()) {
  console.log('Preparando a página e o painel (só na primeira vez ou depois de uma mudança)…')
  const { buildAll } = await import('../../scripts/build-all.ts')
  await buildAll()
}
const { main } = await import('./main.ts')
await main()

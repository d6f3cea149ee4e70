// Preloaded by every npm script. Plain JavaScript, so that an old Node can read it and report the problem.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(
    `O Pórtico precisa do Node 24 ou mais novo. Versão encontrada: ${process.version}. No Linux e no Windows, rode "npm ci", que já traz o Node certo. Em outros sistemas, instale o Node 24.`,
  )
  process.exit(1)
}
// Sources without their types are kept: each script starts 60 ms sooner. A folder that cannot be written changes nothing.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

/** `npm run image-tree -- FOLDER`: everything needed at run time. The Dockerfile copies exactly this. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { buildAll, NATIVE_PACKAGES } from './build-all.ts'
import { BUILD_STAMP, isBuildFresh } from './build-stamp.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined || existsSync(folder)) {
  console.error('Uso: npm run image-tree -- PASTA (a pasta ainda não pode existir)')
  process.exit(1)
}
if (!isBuildFresh()) await buildAll()
makeTree(resolve(folder))

function makeTree(target: string): void {
  mkdirSync(target, { recursive: true })
  cpSync('dist', join(target, 'dist'), { recursive: true, filter: (source) => source !== BUILD_STAMP })
  cpSync('LICENSE', join(target, 'LICENSE'))
  const { name, version, license, type } = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync(
    join(target, 'package.json'),
    `${JSON.stringify({ name, version, license, type, private: true }, null, 2)}\n`,
  )
  // A native package keeps each platform's binary in a separate package.
  for (const source of globSync(
    NATIVE_PACKAGES.flatMap((native) => [native, `${native}-*`]).map(inModules),
  )) {
    mkdirSync(join(target, dirname(source)), { recursive: true })
    cpSync(source, join(target, source), { recursive: true })
  }
}

function inModules(name: string): string {
  return `node_modules/${name}`
}

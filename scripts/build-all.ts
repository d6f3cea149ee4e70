import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { BUILD_STAMP, hashBuildInputs } from './build-stamp.ts'
import { compressAssets } from './compress-assets.ts'
import { drawPictures } from './draw-pictures.ts'
import { lightPreload } from './light-preload.ts'
import { minifyAgain } from './minify-again.ts'

/** What is native stays outside of the bundles: the only packages that a built tree needs beside it. */
export const NATIVE_PACKAGES = ['@node-rs/argon2', '@node-rs/bcrypt']

const CLI = 'src/server/operations/commands/cli.ts'

/** Builds what browsers load, what the server renders with and the server itself, and stamps it so that a start need not build again. */
export async function buildAll(): Promise<void> {
  rmSync('dist', { recursive: true, force: true })
  await inProduction(async () => {
    await build({ logLevel: 'warn' })
    await build({
      configFile: false,
      logLevel: 'warn',
      plugins: [react()],
      ssr: { noExternal: true },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        ssr: true,
        outDir: 'dist/server',
        rolldownOptions: { input: { landing: 'src/landing/pages/render.tsx' } },
      },
    })
    // What runs in a room before its tag, as one script: the server writes it into each room's document.
    await build({
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      plugins: [lightPreload(), minifyAgain()],
      build: {
        outDir: 'dist/server',
        emptyOutDir: false,
        modulePreload: false,
        target: 'es2022',
        rolldownOptions: {
          input: { room: 'src/landing/browser/isolated-frame/frame.ts' },
          output: { format: 'iife', entryFileNames: '[name].js', codeSplitting: false },
        },
      },
    })
  })
  // One file with its libraries: without the type stripper and hundreds of small modules the process is some 40 MB
  // smaller and starts sooner. What is native stays outside.
  await bundleServer({ serve: 'src/server/serve.ts' })
  // The thread in which passwords are judged, apart: nothing of its dictionaries is in the server's memory.
  await bundleServer({ 'strength-worker': 'src/server/auth/passwords/strength-worker.ts' })
  // The thread that holds SQLite, apart: it needs no library.
  await bundleServer({ 'sqlite-worker': 'src/server/db/engines/sqlite-worker.ts' })
  // The thread in which scheduled backups are made.
  await bundleServer({ 'backup-worker': 'src/server/db/backup/backup-worker.ts' })
  // What operators run by hand: built as well, so that a machine with nothing but `dist` and Node has it.
  await bundleServer({ cli: CLI })
  writeCommandEntries()
  // The thread in which tags are compiled, apart: nothing of its parsers is in the server's memory.
  await bundleServer({ 'compile-worker': 'src/server/tags/compile/compile-worker.ts' })
  drawPictures('dist/client')
  await compressAssets('dist/client/assets')
  writeFileSync(BUILD_STAMP, hashBuildInputs())
}

async function bundleServer(input: Record<string, string>): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: [...NATIVE_PACKAGES, 'pg-native'] },
    build: {
      ssr: true,
      outDir: 'dist/server',
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      // Parts that are loaded when they are used lie beside the entries: threads are found beside whoever starts them.
      rolldownOptions: { input, output: { chunkFileNames: '[name]-[hash].js' } },
    },
  })
}

/** `node dist/server/NAME.js …` is the command of that name in the table of `cli.ts`. */
function writeCommandEntries(): void {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const [name, script] of Object.entries(scripts))
    if (script.endsWith(` ${CLI} ${name}`))
      writeFileSync(
        `dist/server/${name}.js`,
        `process.argv.splice(2, 0, '${name}')\nawait import('./cli.js')\n`,
      )
}

/** The bundler looks at the process's own environment; a test run that builds first must get what production gets. */
async function inProduction(work: () => Promise<void>): Promise<void> {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await work()
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

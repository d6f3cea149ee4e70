import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { build, type Plugin } from 'vite'
import { BUILD_STAMP, hashBuildInputs } from './build-stamp.ts'
import { compressAssets } from './compress-assets.ts'
import { drawPictures } from './draw-pictures.ts'
import { lightPreload } from './light-preload.ts'
import { minifyAgain } from './minify-again.ts'

/** Native packages stay outside of the bundles: a built tree needs only these beside it. */
export const NATIVE_PACKAGES = ['@node-rs/argon2', '@node-rs/bcrypt']

const CLI = 'src/server/operations/commands/cli.ts'

/**
 * Builds what browsers load, what the server renders with, and the server itself, and stamps it so that a start need
 * not build again.
 */
export async function buildAll(): Promise<void> {
  rmSync('dist', { recursive: true, force: true })
  await inProduction(async () => {
    await build({ logLevel: 'warn' })
    await build({
      configFile: false,
      logLevel: 'warn',
      plugins: [react(), oneByteText()],
      ssr: { noExternal: true },
      define: { 'process.env.NODE_ENV': '"production"' },
      build: {
        ssr: true,
        outDir: 'dist/server',
        rolldownOptions: {
          input: { landing: 'src/landing/pages/render.tsx' },
          // Components also import what only browsers run: half a megabyte.
          treeshake: { moduleSideEffects: [{ test: /react-dom.client/, sideEffects: false }] },
        },
      },
    })
    // The script of isolated frames, which runs before their tag: the server inlines it into each frame's document.
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
          checks: { bundlerTimings: false },
          input: { frame: 'src/landing/browser/isolated-frame/frame.ts' },
          output: { format: 'iife', entryFileNames: '[name].js', codeSplitting: false },
        },
      },
    })
  })
  // One file with its libraries: without the type stripper and hundreds of modules the process is 40 MB smaller and
  // starts sooner. Native packages stay outside.
  await bundleServer({ serve: 'src/server/serve.ts' })
  // The thread that checks passwords, separate, so that its dictionaries are not in the server's memory.
  await bundleServer({ 'strength-worker': 'src/server/auth/passwords/strength-worker.ts' })
  // The thread that runs SQLite, separate: it needs no library.
  await bundleServer({ 'sqlite-worker': 'src/server/db/engines/sqlite-worker.ts' })
  // The thread of scheduled backups.
  await bundleServer({ 'backup-worker': 'src/server/db/backup/backup-worker.ts' })
  // Commands for operators: built as well, for machines with only `dist` and Node.
  await bundleServer({ cli: CLI })
  writeCommandEntries()
  // The thread that compiles tags, separate, so that its parsers are not in the server's memory.
  await bundleServer({ 'compile-worker': 'src/server/tags/compile/compile-worker.ts' })
  drawPictures('dist/client')
  await compressAssets('dist/client/assets')
  writeFileSync(BUILD_STAMP, hashBuildInputs())
}

async function bundleServer(input: Record<string, string>): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [lightHttp(), oneByteText()],
    ssr: { noExternal: true, external: [...NATIVE_PACKAGES, 'pg-native'] },
    build: {
      ssr: true,
      outDir: 'dist/server',
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      // Lazy parts are beside the entries, because threads are found beside the file that starts them.
      // V8 keeps the text of every script: documentation of libraries is a seventh of it.
      rolldownOptions: { input, output: { chunkFileNames: '[name]-[hash].js', comments: { jsdoc: false } } },
    },
  })
}

/**
 * V8 keeps the text of every script, with two bytes per character as soon as one is not ASCII. Escapes of the few others
 * halve it.
 */
function oneByteText(): Plugin {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'one-byte-text',
    generateBundle: (_options, bundle) => {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[\u0080-\uffff]/g, toEscape)
    },
  }
}

/**
 * An `import` of `node:http` reads all its exports, and so loads Node's own undici and HTTP/2: 6 MB. Fastify loads
 * servers for TLS and HTTP/2, which ours does not speak: 3 MB.
 */
function lightHttp(): Plugin {
  const unused = '\0unused-server'
  return {
    name: 'light-http',
    enforce: 'pre',
    resolveId: (source, importer) =>
      /^node:http[s2]$/.test(source) && importer?.includes('/node_modules/fastify/') ? unused : null,
    load: (id) => (id === unused ? 'module.exports = {}' : null),
    generateBundle: (_options, bundle) => {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk')
          chunk.code = chunk.code.replace(
            /^import (\w+|\{[^}]*\}) from ("node:https?");$/gm,
            (_import, names: string, from: string) =>
              `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule(${from});`,
          )
    },
  }
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

/** The bundler reads the process's environment; a test run that builds must get a production build. */
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
